// Numbers of PTX as the host's, for the meanings of operations.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "lower/reference_floats.h"

namespace emulator::testing::random {

// Wide enough for every product of 64-bit integers.
__extension__ using Wide = __int128;

[[nodiscard]] inline std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// The number that the lowest bits stand for.
[[nodiscard]] inline Wide integer(std::uint64_t value, unsigned bits, bool is_signed) {
  const std::uint64_t low = low_bits(value, bits);
  const bool negative = is_signed && (low >> (bits - 1)) != 0;
  return negative ? static_cast<Wide>(low) - (static_cast<Wide>(1) << bits)
                  : static_cast<Wide>(low);
}
[[nodiscard]] inline Wide lowest(unsigned bits, bool is_signed) {
  return is_signed ? -(static_cast<Wide>(1) << (bits - 1)) : 0;
}
[[nodiscard]] inline Wide highest(unsigned bits, bool is_signed) {
  return (static_cast<Wide>(1) << (is_signed ? bits - 1 : bits)) - 1;
}
[[nodiscard]] inline Wide clamped(Wide value, unsigned bits, bool is_signed) {
  if (value < lowest(bits, is_signed)) return lowest(bits, is_signed);
  return value > highest(bits, is_signed) ? highest(bits, is_signed) : value;
}

[[nodiscard]] inline float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
[[nodiscard]] inline double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
// NaNs that arithmetic gives.
[[nodiscard]] inline std::uint64_t bits_of_float(float value) {
  return std::isnan(value) ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
}
[[nodiscard]] inline std::uint64_t bits_of_double(double value) {
  return std::isnan(value) ? 0x7fffffffffffffff : std::bit_cast<std::uint64_t>(value);
}
[[nodiscard]] inline float flushed_float(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}
template <typename T>
[[nodiscard]] T saturated(T value) {
  if (!(value > 0)) return 0;
  return value < 1 ? value : T{1};
}

enum class HalfType : std::uint8_t { f16, bf16 };
[[nodiscard]] inline const char* name_of(HalfType type) {
  return type == HalfType::f16 ? "f16" : "bf16";
}
[[nodiscard]] inline double half(std::uint64_t bits, HalfType type) {
  return type == HalfType::f16 ? f16(bits) : bf16(bits);
}
// A double that holds a number of the type, or any NaN.
[[nodiscard]] inline std::uint64_t bits_of_half(double value, HalfType type) {
  if (std::isnan(value)) return 0x7fff;
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (type == HalfType::bf16) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
  }
  const double magnitude = std::abs(value);
  if (std::isinf(value)) return sign | 0x7c00;
  if (magnitude < 0x1p-14) return sign | static_cast<std::uint64_t>(std::ldexp(magnitude, 24));
  const int exponent = std::ilogb(magnitude);
  const double fraction = std::ldexp(magnitude, 10 - exponent);
  return sign | (static_cast<std::uint64_t>(fraction) - 1024) |
         static_cast<std::uint64_t>(exponent + 15) << 10;
}
[[nodiscard]] inline const Format& format_of(HalfType type) {
  return type == HalfType::f16 ? kF16 : kBf16;
}

}  // namespace emulator::testing::random
