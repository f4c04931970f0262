// How fragments lie (matrix.h's slots) makes vectors of them as they are. Lane 4 * g + t of a
// register of A holds row g, or row 8 + g, and of the k's of its half those from t * packed on; so
// that four neighbours are a row, and spreading the t-th over its four lanes gives a(row, k) next
// to a register of C, whose four neighbours are the even, or the odd, columns of the same row. Of
// B, four lanes are a column: transposed once, four values stand for the even, or the odd, columns
// at one k, and serve every row.
#include "runtime/wide_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "runtime/half.h"
#include "runtime/matrix.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace emulator::runtime {
namespace {

constexpr std::size_t kQuad = 4;       // lanes of a row of A, of a column of B
constexpr std::size_t kMostSteps = 8;  // two halves of k, up to four elements in a register
constexpr std::size_t kMostDepth = 32;
constexpr std::size_t kRegister = kWarpSize * sizeof(std::uint32_t);

using Lanes = std::array<float, kWarpSize>;

// C and D: rows 0 to 7 of the even columns, of the odd ones, then rows 8 to 15.
using Sums = std::array<Lanes, kQuad>;

// A and B as floats. A step is an element of the registers of one half of k.
struct Operands {
  alignas(64) std::array<std::array<Lanes, 2>, kMostSteps> a;  // the upper and the lower eight rows
  alignas(64) std::array<std::array<float, 2 * kQuad>, kMostDepth> b;  // even columns, odd columns
};

// Elements in a register.
[[nodiscard]] std::size_t packed(MatrixType type) { return 32 / bits_of(type); }

using ByteTable = std::array<float, 256>;

[[nodiscard]] const ByteTable& values_of_bytes(MatrixType type) {
  static constexpr std::array kTypes = {MatrixType::e4m3, MatrixType::e5m2, MatrixType::e3m2,
                                        MatrixType::e2m3, MatrixType::e2m1_in_byte};
  static const std::array<ByteTable, kTypes.size()> tables = [] {
    std::array<ByteTable, kTypes.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t bits = 0; bits < all.at(i).size(); ++bits)
        all.at(i).at(bits) = float_of(kTypes.at(i), static_cast<std::uint32_t>(bits));
    }
    return all;
  }();
  const auto* const found = std::ranges::find(kTypes, type);
  return tables.at(static_cast<std::size_t>(found - kTypes.begin()));
}

constexpr std::size_t kEight = 8;  // lanes, in 256 bits

__attribute__((target("avx2"), always_inline)) inline __m256i eight_words(const std::uint8_t* reg,
                                                                          std::size_t lane) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(reg + lane * sizeof(std::uint32_t)));
}

// Element `element` of each lane's register.
__attribute__((target("avx2,f16c"))) void expand(MatrixType type, const std::uint8_t* reg,
                                                 unsigned element, Lanes& to) {
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(element * bits_of(type)));
  switch (type) {
    case MatrixType::f16:
      for (std::size_t lane = 0; lane < kWarpSize; lane += kEight) {
        const __m256i bits = _mm256_and_si256(_mm256_srl_epi32(eight_words(reg, lane), shift),
                                              _mm256_set1_epi32(0xFFFF));
        const __m128i narrow =
            _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
        _mm256_storeu_ps(&to[lane], _mm256_cvtph_ps(narrow));
      }
      return;
    case MatrixType::bf16:
      for (std::size_t lane = 0; lane < kWarpSize; lane += kEight) {
        const __m256i bits = _mm256_slli_epi32(_mm256_srl_epi32(eight_words(reg, lane), shift), 16);
        _mm256_storeu_ps(&to[lane], _mm256_castsi256_ps(bits));
      }
      return;
    case MatrixType::tf32: {  // the lowest 13 bits are not looked at
      const __m256i looked_at = _mm256_set1_epi32(~0x1FFF);
      for (std::size_t lane = 0; lane < kWarpSize; lane += kEight) {
        const __m256i bits = _mm256_and_si256(eight_words(reg, lane), looked_at);
        _mm256_storeu_ps(&to[lane], _mm256_castsi256_ps(bits));
      }
      return;
    }
    default: {  // of 8 bits
      const ByteTable& values = values_of_bytes(type);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        to[lane] = values[reg[lane * sizeof(std::uint32_t) + element]];
    }
  }
}

// Register r of a fragment.
[[nodiscard]] const std::uint8_t* at(const std::uint8_t* fragment, std::size_t r) {
  return fragment + r * kRegister;
}

void take_operands(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                   Operands& operands) {
  const std::size_t elements = packed(shape.a);
  const std::size_t halves = shape.depth / (kQuad * elements);
  for (std::size_t half = 0; half < halves; ++half) {
    for (unsigned element = 0; element < elements; ++element) {
      auto& rows = operands.a[half * elements + element];
      expand(shape.a, at(a, 2 * half), element, rows[0]);
      expand(shape.a, at(a, 2 * half + 1), element, rows[1]);
      Lanes columns;
      expand(shape.b, at(b, half), element, columns);
      for (std::size_t odd = 0; odd < 2; ++odd) {
        const float* first = columns.data() + odd * kQuad;
        __m128 t0 = _mm_loadu_ps(first);
        __m128 t1 = _mm_loadu_ps(first + 2 * kQuad);
        __m128 t2 = _mm_loadu_ps(first + 4 * kQuad);
        __m128 t3 = _mm_loadu_ps(first + 6 * kQuad);
        _MM_TRANSPOSE4_PS(t0, t1, t2, t3);
        const std::size_t k = half * kQuad * elements + element;
        _mm_store_ps(operands.b[k].data() + odd * kQuad, t0);
        _mm_store_ps(operands.b[k + elements].data() + odd * kQuad, t1);
        _mm_store_ps(operands.b[k + 2 * elements].data() + odd * kQuad, t2);
        _mm_store_ps(operands.b[k + 3 * elements].data() + odd * kQuad, t3);
      }
    }
  }
}

// GCC 12 warns of the undefined values in the definitions of the forms without a mask (its bug
// 105593); with one of all lanes the code is the same.
constexpr __mmask16 kAll = 0xFFFF;

// One k, for all of C. Where the four neighbours' t-th is to be picked by an immediate, t is a
// parameter of the template.
struct Vector512 {
  __m512 value;
};
struct Sums512 {
  std::array<std::array<Vector512, 2>, kQuad> part;  // as in Sums
};
template <int t>
__attribute__((target("avx512f"), always_inline)) inline void add_512(
    Sums512& sums, const std::array<Lanes, 2>& rows, const std::array<float, 2 * kQuad>& columns) {
  constexpr int kSpread = t * 0b01010101;
  const __m512 even = _mm512_maskz_broadcast_f32x4(kAll, _mm_load_ps(columns.data()));
  const __m512 odd = _mm512_maskz_broadcast_f32x4(kAll, _mm_load_ps(columns.data() + kQuad));
  for (std::size_t eight = 0; eight < 2; ++eight) {
    for (std::size_t i = 0; i < 2; ++i) {
      const __m512 a =
          _mm512_maskz_permute_ps(kAll, _mm512_load_ps(rows[eight].data() + i * 16), kSpread);
      auto& part = sums.part;
      part[2 * eight][i].value = _mm512_fmadd_ps(a, even, part[2 * eight][i].value);
      part[2 * eight + 1][i].value = _mm512_fmadd_ps(a, odd, part[2 * eight + 1][i].value);
    }
  }
}

__attribute__((target("avx512f"))) void accumulate_512(const Operands& operands, const Sums& from,
                                                       Sums& to, unsigned depth,
                                                       std::size_t elements) {
  Sums512 sums;
  for (std::size_t p = 0; p < kQuad; ++p) {
    for (std::size_t i = 0; i < 2; ++i)
      sums.part[p][i].value = _mm512_loadu_ps(from[p].data() + i * 16);
  }
  for (std::size_t half = 0; half * kQuad * elements < depth; ++half) {
    const auto* const rows = &operands.a[half * elements];
    const auto* const columns = &operands.b[half * kQuad * elements];
    for (std::size_t e = 0; e < elements; ++e) add_512<0>(sums, rows[e], columns[e]);
    for (std::size_t e = 0; e < elements; ++e) add_512<1>(sums, rows[e], columns[elements + e]);
    for (std::size_t e = 0; e < elements; ++e) add_512<2>(sums, rows[e], columns[2 * elements + e]);
    for (std::size_t e = 0; e < elements; ++e) add_512<3>(sums, rows[e], columns[3 * elements + e]);
  }
  for (std::size_t p = 0; p < kQuad; ++p) {
    for (std::size_t i = 0; i < 2; ++i)
      _mm512_storeu_ps(to[p].data() + i * 16, sums.part[p][i].value);
  }
}

// Eight rows at a time: there are sixteen registers, and C fills as many.
struct Vector256 {
  __m256 value;
};
struct Sums256 {
  std::array<std::array<Vector256, kQuad>, 2> part;
};
template <int t>
__attribute__((target("avx2,fma"), always_inline)) inline void add_256(
    Sums256& sums, const Lanes& rows, const std::array<float, 2 * kQuad>& columns) {
  constexpr int kSpread = t * 0b01010101;
  const __m256 even = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(columns.data()));
  const __m256 odd = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(columns.data() + kQuad));
  for (std::size_t i = 0; i < kQuad; ++i) {
    const __m256 a = _mm256_permute_ps(_mm256_load_ps(rows.data() + i * 8), kSpread);
    sums.part[0][i].value = _mm256_fmadd_ps(a, even, sums.part[0][i].value);
    sums.part[1][i].value = _mm256_fmadd_ps(a, odd, sums.part[1][i].value);
  }
}

__attribute__((target("avx2,fma"))) void accumulate_256(const Operands& operands, const Sums& from,
                                                        Sums& to, unsigned depth,
                                                        std::size_t elements) {
  for (std::size_t eight = 0; eight < 2; ++eight) {
    Sums256 sums;
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t i = 0; i < kQuad; ++i)
        sums.part[p][i].value = _mm256_loadu_ps(from[2 * eight + p].data() + i * 8);
    }
    for (std::size_t half = 0; half * kQuad * elements < depth; ++half) {
      const auto* const rows = &operands.a[half * elements];
      const auto* const columns = &operands.b[half * kQuad * elements];
      for (std::size_t e = 0; e < elements; ++e) add_256<0>(sums, rows[e][eight], columns[e]);
      for (std::size_t e = 0; e < elements; ++e)
        add_256<1>(sums, rows[e][eight], columns[elements + e]);
      for (std::size_t e = 0; e < elements; ++e)
        add_256<2>(sums, rows[e][eight], columns[2 * elements + e]);
      for (std::size_t e = 0; e < elements; ++e)
        add_256<3>(sums, rows[e][eight], columns[3 * elements + e]);
    }
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t i = 0; i < kQuad; ++i)
        _mm256_storeu_ps(to[2 * eight + p].data() + i * 8, sums.part[p][i].value);
    }
  }
}

void put_halves(const Lanes& even, const Lanes& odd, std::uint8_t* reg) {
  std::array<std::uint32_t, kWarpSize> words;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    words[lane] = float_to_half(even[lane]) | std::uint32_t{float_to_half(odd[lane])} << 16U;
  std::memcpy(reg, words.data(), kRegister);
}

}  // namespace

VectorWidth widest_vectors() {
  static const VectorWidth widest = [] {
    const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                      __builtin_cpu_supports("f16c") != 0;
    if (!avx2) return VectorWidth::none;
    return __builtin_cpu_supports("avx512f") != 0 ? VectorWidth::avx512 : VectorWidth::avx2;
  }();
  return widest;
}

void multiply_wide(VectorWidth width, const MatrixShape& shape, const std::uint8_t* a,
                   const std::uint8_t* b, const std::uint8_t* c, std::uint8_t* d) {
  Operands operands;
  take_operands(shape, a, b, operands);
  const auto add_products = [&](const Sums& from, Sums& to) {
    if (width == VectorWidth::avx512) {
      accumulate_512(operands, from, to, shape.depth, packed(shape.a));
    } else {
      accumulate_256(operands, from, to, shape.depth, packed(shape.a));
    }
  };
  // In f32, registers and sums are the same.
  if (shape.c != MatrixType::f16) {
    return add_products(*reinterpret_cast<const Sums*>(c), *reinterpret_cast<Sums*>(d));
  }
  Sums sums;
  for (unsigned i = 0; i < kQuad; ++i) expand(shape.c, at(c, i / 2), i % 2, sums[i]);
  add_products(sums, sums);
  put_halves(sums[0], sums[1], d);
  put_halves(sums[2], sums[3], d + kRegister);
}

}  // namespace emulator::runtime

#else

namespace emulator::runtime {

VectorWidth widest_vectors() { return VectorWidth::none; }
void multiply_wide(VectorWidth, const MatrixShape&, const std::uint8_t*, const std::uint8_t*,
                   const std::uint8_t*, std::uint8_t*) {}

}  // namespace emulator::runtime

#endif
