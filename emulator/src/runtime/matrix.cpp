#include "runtime/matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "runtime/half.h"
#include "runtime/wide_product.h"

namespace emulator::runtime {
namespace {

// All products are made of pieces of this size; wmma's smaller and larger ones are parts or rows of
// them.
constexpr unsigned kRows = 16;
constexpr unsigned kColumns = 8;
constexpr unsigned kDeepest = 32;
constexpr unsigned kGroup = 4;  // lanes that share a row of A, and a column of B

struct Piece {
  std::array<std::array<float, kDeepest>, kRows> a{};
  std::array<std::array<float, kColumns>, kDeepest> b{};
  std::array<std::array<float, kColumns>, kRows> c{};
};

template <typename Bits>
[[nodiscard]] Bits read(const std::uint8_t* from) {
  Bits bits{};
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}
template <typename Bits>
void write(std::uint8_t* to, Bits bits) {
  std::memcpy(to, &bits, sizeof bits);
}

// A sign, so many bits of exponent and of mantissa; every code is a finite number.
[[nodiscard]] float small_to_float(unsigned code, unsigned exponent_bits, unsigned mantissa_bits) {
  const unsigned hidden = 1U << mantissa_bits;
  const unsigned exponent = code >> mantissa_bits & ((1U << exponent_bits) - 1);
  const unsigned mantissa = code & (hidden - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int scale =
      static_cast<int>(std::max(exponent, 1U)) - bias - static_cast<int>(mantissa_bits);
  const unsigned digits = exponent == 0 ? mantissa : hidden + mantissa;
  const float magnitude = std::ldexp(static_cast<float>(digits), scale);
  return (code >> (exponent_bits + mantissa_bits) & 1U) != 0 ? -magnitude : magnitude;
}

// e4m3 has no infinity; its one NaN has all bits set but the sign.
[[nodiscard]] float e4m3_to_float(std::uint8_t bits) {
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<float>::quiet_NaN();
  return small_to_float(bits, 4, 3);
}

// Calls take(i, the value of element i) for each of `count` elements, of which element i lies
// where(i) bytes behind `from`. The type is looked at once, not for each element.
template <typename Where, typename Take>
void for_each_float(MatrixType type, const std::uint8_t* from, unsigned count, Where where,
                    Take take) {
  const auto all = [&](auto value_of) {
    for (unsigned i = 0; i < count; ++i) take(i, value_of(from + where(i)));
  };
  switch (type) {
    case MatrixType::f16:
      return all([](const std::uint8_t* at) { return half_to_float(read<std::uint16_t>(at)); });
    case MatrixType::bf16:
      return all([](const std::uint8_t* at) {
        return std::bit_cast<float>(std::uint32_t{read<std::uint16_t>(at)} << 16U);
      });
    case MatrixType::tf32:  // the lowest 13 bits are not looked at
      return all([](const std::uint8_t* at) {
        return std::bit_cast<float>(read<std::uint32_t>(at) & ~0x1FFFU);
      });
    case MatrixType::f32:
      return all([](const std::uint8_t* at) { return read<float>(at); });
    case MatrixType::e4m3:
      return all([](const std::uint8_t* at) { return e4m3_to_float(*at); });
    case MatrixType::e5m2:  // the upper half of an f16
      return all([](const std::uint8_t* at) {
        return half_to_float(static_cast<std::uint16_t>(*at << 8U));
      });
    case MatrixType::e3m2:
      return all([](const std::uint8_t* at) { return small_to_float(*at, 3, 2); });
    case MatrixType::e2m3:
      return all([](const std::uint8_t* at) { return small_to_float(*at, 2, 3); });
    case MatrixType::e2m1_in_byte:
      return all([](const std::uint8_t* at) { return small_to_float(*at / 4U, 2, 1); });
    case MatrixType::e2m1:
      return all([](const std::uint8_t* at) { return small_to_float(*at, 2, 1); });
    default:
      return;
  }
}

void put_float(MatrixType type, std::uint8_t* to, float value) {
  if (type == MatrixType::f16) {
    write(to, float_to_half(value));
  } else {
    write(to, value);
  }
}

[[nodiscard]] std::int64_t integer_at(MatrixType type, const std::uint8_t* from) {
  return type == MatrixType::s8 ? read<std::int8_t>(from) : std::int64_t{*from};
}

[[nodiscard]] std::int32_t narrowed(std::int64_t sum, bool saturate) {
  if (saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::int32_t>(sum);
}

void accumulate_anywhere(Piece& piece, unsigned depth) {
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned k = 0; k < depth; ++k) {
      for (unsigned column = 0; column < kColumns; ++column) {
        piece.c[row][column] = std::fma(piece.a[row][k], piece.b[k][column], piece.c[row][column]);
      }
    }
  }
}

#if defined(__x86_64__)
// The same to the bit, a row of C at a time.
__attribute__((target("avx2,fma"))) void accumulate_rows(Piece& piece, unsigned depth) {
  for (unsigned row = 0; row < kRows; ++row) {
    __m256 sum = _mm256_loadu_ps(piece.c[row].data());
    for (unsigned k = 0; k < depth; ++k) {
      sum =
          _mm256_fmadd_ps(_mm256_set1_ps(piece.a[row][k]), _mm256_loadu_ps(piece.b[k].data()), sum);
    }
    _mm256_storeu_ps(piece.c[row].data(), sum);
  }
}

void accumulate(Piece& piece, unsigned depth) {
  static const bool has_rows =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_rows) {
    accumulate_rows(piece, depth);
  } else {
    accumulate_anywhere(piece, depth);
  }
}
#else
void accumulate(Piece& piece, unsigned depth) { accumulate_anywhere(piece, depth); }
#endif

// How many elements a register holds.
[[nodiscard]] unsigned packed(unsigned bits) { return bits >= 32 ? 1 : 32 / bits; }

// Register r of lane l is at (r * 32 + l) registers.
[[nodiscard]] std::size_t offset_of(const Slot& slot, unsigned bits) {
  const std::size_t bytes = bits / 8;
  const std::size_t reg = std::max<std::size_t>(bytes, 4);
  return (std::size_t{slot.reg} * kWarpSize + slot.lane) * reg + slot.element * bytes;
}

// Where the elements of fragments of m16n8k* lie, in bytes, row after row: worked out once for each
// width of an element, since thousands of products a millisecond ask.
struct Offsets {
  std::array<std::uint16_t, std::size_t{kRows} * kDeepest> a{};  // at row * kDeepest + k
  std::array<std::uint16_t, std::size_t{kDeepest} * kColumns> b{};
  std::array<std::uint16_t, std::size_t{kRows} * kColumns> c{};

  explicit Offsets(unsigned bits) {
    for (unsigned row = 0; row < kRows; ++row) {
      for (unsigned k = 0; k < kDeepest; ++k)
        a.at(row * kDeepest + k) =
            static_cast<std::uint16_t>(offset_of(slot_of_a(row, k, bits), bits));
      for (unsigned column = 0; column < kColumns; ++column)
        c.at(row * kColumns + column) =
            static_cast<std::uint16_t>(offset_of(slot_of_c(row, column, bits), bits));
    }
    for (unsigned k = 0; k < kDeepest; ++k) {
      for (unsigned column = 0; column < kColumns; ++column)
        b.at(k * kColumns + column) =
            static_cast<std::uint16_t>(offset_of(slot_of_b(k, column, bits), bits));
    }
  }
};

[[nodiscard]] const Offsets& offsets_for(unsigned bits) {
  static const Offsets of_bytes(8);
  static const Offsets of_halves(16);
  static const Offsets of_words(32);
  return bits == 8 ? of_bytes : bits == 16 ? of_halves : of_words;
}

void multiply_floats(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                     const std::uint8_t* c, std::uint8_t* d) {
  Piece piece;
  const Offsets& operands = offsets_for(bits_of(shape.a));
  const Offsets& sums = offsets_for(bits_of(shape.c));
  for (unsigned row = 0; row < kRows; ++row) {
    for_each_float(
        shape.a, a, shape.depth, [&](unsigned k) { return operands.a[row * kDeepest + k]; },
        [&](unsigned k, float value) { piece.a[row][k] = value; });
  }
  for_each_float(
      shape.b, b, shape.depth * kColumns, [&](unsigned i) { return operands.b[i]; },
      [&](unsigned i, float value) { piece.b[i / kColumns][i % kColumns] = value; });
  for_each_float(
      shape.c, c, kRows * kColumns, [&](unsigned i) { return sums.c[i]; },
      [&](unsigned i, float value) { piece.c[i / kColumns][i % kColumns] = value; });
  accumulate(piece, shape.depth);
  for (unsigned i = 0; i < kRows * kColumns; ++i)
    put_float(shape.c, d + sums.c[i], piece.c[i / kColumns][i % kColumns]);
}

void multiply_integers(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                       const std::uint8_t* c, std::uint8_t* d) {
  const Offsets& operands = offsets_for(8);
  const Offsets& sums = offsets_for(32);
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      const std::size_t at = sums.c[row * kColumns + column];
      std::int64_t sum = read<std::int32_t>(c + at);
      for (unsigned k = 0; k < shape.depth; ++k) {
        sum += integer_at(shape.a, a + operands.a[row * kDeepest + k]) *
               integer_at(shape.b, b + operands.b[k * kColumns + column]);
      }
      write(d + at, narrowed(sum, shape.saturate));
    }
  }
}

// m8n8k4, the one shape that has eight rows.
void multiply_doubles(const std::uint8_t* a, const std::uint8_t* b, const std::uint8_t* c,
                      std::uint8_t* d) {
  constexpr unsigned kSide = 8;
  constexpr unsigned kDepth = 4;
  constexpr unsigned kBits = 64;
  for (unsigned row = 0; row < kSide; ++row) {
    for (unsigned column = 0; column < kSide; ++column) {
      const std::size_t at = offset_of(slot_of_c(row, column, kBits), kBits);
      auto sum = read<double>(c + at);
      for (unsigned k = 0; k < kDepth; ++k) {
        sum = std::fma(read<double>(a + offset_of(slot_of_a(row, k, kBits), kBits)),
                       read<double>(b + offset_of(slot_of_b(k, column, kBits), kBits)), sum);
      }
      write(d + at, sum);
    }
  }
}

// One wmma's operands, by row and column.
class Fragments {
 public:
  Fragments(const FragmentShape& shape, const std::uint8_t* a, const std::uint8_t* b,
            std::uint8_t* c)
      : shape_(shape), a_(a), b_(b), c_(c) {}

  void multiply_floats() {
    // D may be wider or narrower than C, so all of C is taken before any of D is put.
    std::array<Piece, kMostPieces> pieces{};
    std::size_t count = 0;
    for (unsigned row = 0; row < shape_.rows; row += kRows) {
      for (unsigned column = 0; column < shape_.columns; column += kColumns) {
        Piece& piece = pieces.at(count++);
        gather(piece, row, column);
        accumulate(piece, shape_.depth);
      }
    }
    count = 0;
    for (unsigned row = 0; row < shape_.rows; row += kRows) {
      for (unsigned column = 0; column < shape_.columns; column += kColumns)
        scatter(pieces.at(count++), row, column);
    }
  }

  void multiply_integers() {
    for (unsigned row = 0; row < shape_.rows; ++row) {
      for (unsigned column = 0; column < shape_.columns; ++column) {
        std::uint8_t* at = c_ + (std::size_t{row} * shape_.columns + column) * sizeof(std::int32_t);
        std::int64_t sum = read<std::int32_t>(at);
        for (unsigned k = 0; k < shape_.depth; ++k) {
          sum += integer_at(shape_.a, a_ + std::size_t{row} * shape_.depth + k) *
                 integer_at(shape_.b, b_ + std::size_t{k} * shape_.columns + column);
        }
        write(at, narrowed(sum, shape_.saturate));
      }
    }
  }

 private:
  static constexpr std::size_t kMostPieces = 4;  // 32 x 8, 8 x 32, 16 x 16

  [[nodiscard]] unsigned rows_from(unsigned row) const {
    return std::min(kRows, shape_.rows - row);
  }

  void gather(Piece& piece, unsigned row, unsigned column) const {
    const auto line = [](MatrixType type, const std::uint8_t* from, unsigned begin, unsigned count,
                         auto& to) {
      const unsigned bytes = bits_of(type) / 8;
      for_each_float(
          type, from + std::size_t{begin} * bytes, count, [&](unsigned i) { return i * bytes; },
          [&](unsigned i, float value) { to[i] = value; });
    };
    for (unsigned k = 0; k < shape_.depth; ++k)
      line(shape_.b, b_, k * shape_.columns + column, kColumns, piece.b[k]);
    for (unsigned r = 0; r < rows_from(row); ++r) {
      line(shape_.a, a_, (row + r) * shape_.depth, shape_.depth, piece.a[r]);
      line(shape_.c, c_, (row + r) * shape_.columns + column, kColumns, piece.c[r]);
    }
  }

  void scatter(const Piece& piece, unsigned row, unsigned column) {
    const std::size_t bytes = bits_of(shape_.d) / 8;
    for (unsigned r = 0; r < rows_from(row); ++r) {
      std::uint8_t* to = c_ + ((row + r) * shape_.columns + column) * bytes;
      for (unsigned i = 0; i < kColumns; ++i) put_float(shape_.d, to + i * bytes, piece.c[r][i]);
    }
  }

  const FragmentShape& shape_;
  const std::uint8_t* a_;
  const std::uint8_t* b_;
  std::uint8_t* c_;
};

}  // namespace

// A register holds neighbours in k. The upper eight rows come in the next register, and then the
// second half of k.
Slot slot_of_a(unsigned row, unsigned k, unsigned bits) {
  const unsigned in_register = packed(bits);
  const unsigned half = k / (kGroup * in_register);
  return {row % 8 * kGroup + k / in_register % kGroup, row / 8 + 2 * half, k % in_register};
}

Slot slot_of_b(unsigned k, unsigned column, unsigned bits) {
  const unsigned in_register = packed(bits);
  return {column * kGroup + k / in_register % kGroup, k / (kGroup * in_register), k % in_register};
}

// Two neighbours of a row: both in one register where that holds two, else in two.
Slot slot_of_c(unsigned row, unsigned column, unsigned bits) {
  const unsigned lane = row % 8 * kGroup + column / 2;
  if (packed(bits) == 2) return {lane, row / 8, column % 2};
  return {lane, row / 8 * 2 + column % 2, 0};
}

float float_of(MatrixType type, std::uint32_t bits) {
  float value = 0;
  const auto* from = reinterpret_cast<const std::uint8_t*>(&bits);
  for_each_float(type, from, 1, [](unsigned) { return 0U; }, [&](unsigned, float f) { value = f; });
  return value;
}

void multiply(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
              const std::uint8_t* c, std::uint8_t* d) {
  const VectorWidth width = widest_vectors();
  const bool floats = shape.c == MatrixType::f32 || shape.c == MatrixType::f16;
  if (floats && width != VectorWidth::none) return multiply_wide(width, shape, a, b, c, d);
  multiply_plainly(shape, a, b, c, d);
}

void multiply_plainly(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                      const std::uint8_t* c, std::uint8_t* d) {
  if (shape.a == MatrixType::f64) return multiply_doubles(a, b, c, d);
  if (shape.c == MatrixType::s32) return multiply_integers(shape, a, b, c, d);
  multiply_floats(shape, a, b, c, d);
}

void multiply_fragments(const FragmentShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                        std::uint8_t* c) {
  Fragments fragments(shape, a, b, c);
  if (shape.c == MatrixType::s32) {
    fragments.multiply_integers();
  } else {
    fragments.multiply_floats();
  }
}

}  // namespace emulator::runtime
