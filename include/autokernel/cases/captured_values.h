// How fill = "captured" draws an element from those that were captured.
#pragma once

#include <cstdint>

#include "autokernel/cases/case.h"

namespace autokernel::cases {

// A captured element whose lowest bit is drawn anew, by the highest of any word: where nothing is
// known of what it means, as in packed numbers.
[[nodiscard]] inline std::uint64_t perturbed(std::uint64_t bits, std::uint32_t random) {
  return (bits & ~std::uint64_t{1}) | random >> 31;
}

// Bits of the mantissa, without the leading one; 0 for whole numbers.
[[nodiscard]] int mantissa_bits(DType dtype);

// A number near one that was captured: the lower half of its mantissa is drawn anew, so that
// results of captured numbers cannot be looked up. `bits` and the result are the element's, and
// `random` is any word, of which the highest bits are used. Zeros, subnormal numbers, infinities,
// and whole numbers, which may be indices, stay as they are.
[[nodiscard]] inline std::uint64_t near_captured(DType dtype, std::uint64_t bits,
                                                 std::uint32_t random) {
  const int mantissa = mantissa_bits(dtype);
  if (mantissa == 0) return bits;
  const std::uint64_t most = (std::uint64_t{1} << (8 * size_of(dtype) - 1)) - 1;
  const std::uint64_t exponent = (bits & most) >> mantissa;
  if (exponent == 0 || exponent == most >> mantissa) return bits;
  const int drawn = mantissa / 2;
  return bits >> drawn << drawn | random >> (32 - drawn);
}

}  // namespace autokernel::cases
