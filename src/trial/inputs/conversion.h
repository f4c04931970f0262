// Between float and the formats of 16 and 8 bits: round to nearest, ties to even, and one NaN for
// all, as a GPU's cvt.rn does; what is too large for one of 8 bits is its largest value, as
// cvt.rn.satfinite has it.
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

// A format of 8 bits: a sign, an exponent, and 23 - `shift` bits of a significand.
struct SmallFormat {
  std::uint32_t shift;
  std::uint32_t bias;     // of a float's exponent less its own
  std::uint32_t largest;  // bits of the largest finite value
};
inline constexpr SmallFormat kE4m3{20, 120, 0x7e};
inline constexpr SmallFormat kE5m2{21, 112, 0x7b};
inline constexpr std::uint8_t kSmallNan = 0x7f;  // of both

template <SmallFormat Format>
[[nodiscard]] inline std::uint8_t float_to_small(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Bits of the least normal value, and of 2^23 times the least subnormal one: adding that rounds a
  // subnormal value and leaves it in the lowest bits.
  constexpr std::uint32_t kLeast = (Format.bias + 1) << 23U;
  constexpr std::uint32_t kUnit = kLeast + (Format.shift << 23U);
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(kUnit)) -
      kUnit;
  const std::uint32_t half = (1U << (Format.shift - 1)) - 1;
  const std::uint32_t normal =
      (magnitude - (Format.bias << 23U) + half + ((magnitude >> Format.shift) & 1U)) >>
      Format.shift;
  const std::uint32_t rounded = magnitude < kLeast ? subnormal : normal;
  // In this order also for what is so large that the shifted exponent has no sense.
  const bool is_large = magnitude >= 0x47800000U || rounded > Format.largest;
  const std::uint32_t finite = is_large ? Format.largest : rounded;
  const std::uint32_t sign = (bits >> 24U) & 0x80U;
  return static_cast<std::uint8_t>(magnitude > 0x7f800000U ? kSmallNan : (finite | sign));
}

[[nodiscard]] inline float e4m3_to_float(std::uint8_t bits) {
  const std::uint32_t sign = (bits & 0x80U) << 24U;
  const std::uint32_t magnitude = bits & 0x7fU;
  const float scaled = std::bit_cast<float>(magnitude << kE4m3.shift) * 0x1p120F;
  const std::uint32_t nan = magnitude == kSmallNan ? 0x7fc00000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | nan | sign);
}
// The upper half of an f16.
[[nodiscard]] inline float e5m2_to_float(std::uint8_t bits) {
  return f16_to_float(static_cast<std::uint16_t>(bits << 8U));
}

// All of a tensor's values as floats: rounded where a float does not hold them all.
void to_floats(cases::DType dtype, std::span<const std::byte> from, std::span<float> to);
// All values rounded to the tensor's type; to an integer type they must be whole and in its range.
void from_floats(cases::DType dtype, std::span<const float> from, std::span<std::byte> to);
// Whole numbers of an integer type, in whose range they must be.
void from_integers(cases::DType dtype, std::span<const std::int64_t> from, std::span<std::byte> to);

}  // namespace autokernel::trial
