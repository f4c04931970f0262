#include "emulator/runtime/matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emulator/runtime/half.h"

namespace emulator::runtime {
namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kColumns = 8;
constexpr unsigned kDeepest = 32;
constexpr unsigned kGroup = 4;  // lanes that share a row of A, and a column of B

template <typename T>
struct Product {
  std::array<std::array<T, kDeepest>, kRows> a{};
  std::array<std::array<T, kColumns>, kDeepest> b{};
  std::array<std::array<T, kColumns>, kRows> c{};
};

// A fragment's element as it lies in the registers: register r of lane l at (r * 32 + l) words.
template <typename Bits>
[[nodiscard]] Bits bits_at(const std::uint8_t* registers, const Slot& slot) {
  constexpr std::size_t kRegister = std::max<std::size_t>(sizeof(Bits), sizeof(std::uint32_t));
  Bits bits{};
  std::memcpy(&bits,
              registers + (std::size_t{slot.reg} * kWarpSize + slot.lane) * kRegister +
                  slot.element * sizeof(Bits),
              sizeof bits);
  return bits;
}
template <typename Bits>
void put(std::uint8_t* registers, const Slot& slot, Bits bits) {
  constexpr std::size_t kRegister = std::max<std::size_t>(sizeof(Bits), sizeof(std::uint32_t));
  std::memcpy(registers + (std::size_t{slot.reg} * kWarpSize + slot.lane) * kRegister +
                  slot.element * sizeof(Bits),
              &bits, sizeof bits);
}

// e4m3 has no infinity; its one NaN has all bits set but the sign.
[[nodiscard]] float e4m3_to_float(std::uint8_t bits) {
  constexpr int kBias = 7;
  constexpr int kMantissa = 3;
  const int exponent = (bits >> kMantissa) & 0xF;
  const int mantissa = bits & 0x7;
  if ((bits & 0x7FU) == 0x7FU) return std::numeric_limits<float>::quiet_NaN();
  const float magnitude =
      exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissa)
                    : std::ldexp(static_cast<float>(8 + mantissa), exponent - kBias - kMantissa);
  return (bits & 0x80U) != 0 ? -magnitude : magnitude;
}

[[nodiscard]] float element(MatrixType type, const std::uint8_t* registers, const Slot& slot) {
  switch (type) {
    case MatrixType::f16:
      return half_to_float(bits_at<std::uint16_t>(registers, slot));
    case MatrixType::bf16:
      return bfloat_to_float(bits_at<std::uint16_t>(registers, slot));
    case MatrixType::tf32:  // the lowest 13 bits are not looked at
      return std::bit_cast<float>(bits_at<std::uint32_t>(registers, slot) & ~0x1FFFU);
    case MatrixType::e4m3:
      return e4m3_to_float(bits_at<std::uint8_t>(registers, slot));
    case MatrixType::e5m2:  // the upper half of an f16
      return half_to_float(
          static_cast<std::uint16_t>(bits_at<std::uint8_t>(registers, slot) << 8U));
    case MatrixType::f32:
      return std::bit_cast<float>(bits_at<std::uint32_t>(registers, slot));
    default:
      return 0;
  }
}

[[nodiscard]] std::int64_t integer(MatrixType type, const std::uint8_t* registers,
                                   const Slot& slot) {
  const auto bits = bits_at<std::uint8_t>(registers, slot);
  return type == MatrixType::s8 ? std::bit_cast<std::int8_t>(bits) : std::int64_t{bits};
}

void multiply_anywhere(Product<float>& product, unsigned depth) {
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned k = 0; k < depth; ++k) {
      for (unsigned column = 0; column < kColumns; ++column) {
        product.c[row][column] =
            std::fma(product.a[row][k], product.b[k][column], product.c[row][column]);
      }
    }
  }
}

#if defined(__x86_64__)
// The same to the bit, a row of C at a time.
__attribute__((target("avx2,fma"))) void multiply_rows(Product<float>& product, unsigned depth) {
  for (unsigned row = 0; row < kRows; ++row) {
    __m256 sum = _mm256_loadu_ps(product.c[row].data());
    for (unsigned k = 0; k < depth; ++k) {
      sum = _mm256_fmadd_ps(_mm256_set1_ps(product.a[row][k]), _mm256_loadu_ps(product.b[k].data()),
                            sum);
    }
    _mm256_storeu_ps(product.c[row].data(), sum);
  }
}

[[nodiscard]] bool has_rows() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}
#else
void multiply_rows(Product<float>& product, unsigned depth) { multiply_anywhere(product, depth); }
bool has_rows() { return false; }
#endif

void multiply_floats(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                     const std::uint8_t* c, std::uint8_t* d) {
  Product<float> product;
  const unsigned bits = bits_of(shape.a);
  const unsigned sum_bits = bits_of(shape.c);
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned k = 0; k < shape.depth; ++k)
      product.a[row][k] = element(shape.a, a, slot_of_a(row, k, bits));
    for (unsigned column = 0; column < kColumns; ++column)
      product.c[row][column] = element(shape.c, c, slot_of_c(row, column, sum_bits));
  }
  for (unsigned k = 0; k < shape.depth; ++k) {
    for (unsigned column = 0; column < kColumns; ++column)
      product.b[k][column] = element(shape.b, b, slot_of_b(k, column, bits));
  }
  if (has_rows()) {
    multiply_rows(product, shape.depth);
  } else {
    multiply_anywhere(product, shape.depth);
  }
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      const Slot slot = slot_of_c(row, column, sum_bits);
      const float sum = product.c[row][column];
      if (shape.c == MatrixType::f16) {
        put<std::uint16_t>(d, slot, float_to_half(sum));
      } else {
        put<std::uint32_t>(d, slot, std::bit_cast<std::uint32_t>(sum));
      }
    }
  }
}

void multiply_integers(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                       const std::uint8_t* c, std::uint8_t* d) {
  constexpr unsigned kBits = 8;
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      const Slot slot = slot_of_c(row, column, 32);
      std::int64_t sum = std::bit_cast<std::int32_t>(bits_at<std::uint32_t>(c, slot));
      for (unsigned k = 0; k < shape.depth; ++k) {
        sum += integer(shape.a, a, slot_of_a(row, k, kBits)) *
               integer(shape.b, b, slot_of_b(k, column, kBits));
      }
      if (shape.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      put<std::uint32_t>(d, slot, static_cast<std::uint32_t>(sum));
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
      const Slot slot = slot_of_c(row, column, kBits);
      auto sum = std::bit_cast<double>(bits_at<std::uint64_t>(c, slot));
      for (unsigned k = 0; k < kDepth; ++k) {
        sum = std::fma(
            std::bit_cast<double>(bits_at<std::uint64_t>(a, slot_of_a(row, k, kBits))),
            std::bit_cast<double>(bits_at<std::uint64_t>(b, slot_of_b(k, column, kBits))), sum);
      }
      put<std::uint64_t>(d, slot, std::bit_cast<std::uint64_t>(sum));
    }
  }
}

// How many elements a register holds.
[[nodiscard]] unsigned packed(unsigned bits) { return bits >= 32 ? 1 : 32 / bits; }

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

void multiply(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
              const std::uint8_t* c, std::uint8_t* d) {
  if (shape.a == MatrixType::f64) return multiply_doubles(a, b, c, d);
  if (shape.c == MatrixType::s32) return multiply_integers(shape, a, b, c, d);
  multiply_floats(shape, a, b, c, d);
}

}  // namespace emulator::runtime
