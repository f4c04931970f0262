// Between float and the 16-bit formats: round to nearest, ties to even, and one NaN for all, as a
// GPU's cvt.rn does.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

inline constexpr std::uint16_t kCanonicalNan = 0x7fff;  // of both 16-bit formats

// No branches below: these run over millions of values and must vectorise.

[[nodiscard]] inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

[[nodiscard]] inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? kCanonicalNan : rounded);
}

[[nodiscard]] inline float f16_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7fffU;
  // Moving the exponent is a multiplication by 2^112, which also normalises what was subnormal.
  const float scaled = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  const std::uint32_t infinite = magnitude >= 0x7c00U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | infinite | sign);
}

[[nodiscard]] inline std::uint16_t float_to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Adding 0.5 leaves a subnormal half, rounded by the addition itself, in the lowest bits.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
      std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t normal =
      (magnitude - (112U << 23U) + 0xfffU + ((magnitude >> 13U) & 1U)) >> 13U;
  const std::uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
  const std::uint32_t bounded = magnitude >= 0x47800000U ? 0x7c00U : finite;
  return static_cast<std::uint16_t>(magnitude > 0x7f800000U ? kCanonicalNan : (bounded | sign));
}

// All of a tensor's values as floats. Exact for the floating types and u8; an i32 is rounded beyond
// 2^24.
void to_floats(cases::DType dtype, std::span<const std::byte> from, std::span<float> to);
// All values rounded to the tensor's type; to an integer type they must be whole and in its range.
void from_floats(cases::DType dtype, std::span<const float> from, std::span<std::byte> to);

}  // namespace autokernel::trial
