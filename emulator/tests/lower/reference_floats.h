// Floating-point formats and roundings for comparison, by the host's rounding modes and exact
// scaling; nothing here is shared with what is tested.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace emulator::testing {

// Sets the host's rounding mode for a scope.
class HostRounding {
 public:
  explicit HostRounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;
  ~HostRounding() { std::fesetround(before_); }

 private:
  int before_;
};

struct Direction {
  const char* word;  // of an arithmetic instruction
  int mode;
};
inline void PrintTo(const Direction& d, std::ostream* out) { *out << d.word; }
inline constexpr Direction kDirections[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

struct Format {
  int digits;
  int lowest_exponent;  // of a normal number
  double largest;
};
inline constexpr Format kF32{24, -126, 3.4028234663852886e38};
inline constexpr Format kF16{11, -14, 65504};
inline constexpr Format kBf16{8, -126, 3.3895313892515355e38};
inline constexpr Format kTf32{11, -126, 3.4011621342146535e38};
inline constexpr Format kE4m3{4, -6, 448};
inline constexpr Format kE5m2{3, -14, 57344};

// `number` rounded to the format.
[[nodiscard]] inline double rounded(double number, const Format& format, int mode) {
  if (std::isnan(number) || std::isinf(number) || number == 0) return number;
  const int exponent = std::max(std::ilogb(number), format.lowest_exponent);
  const int shift = exponent - format.digits + 1;
  double whole = 0;
  {
    const HostRounding rounding(mode);
    const volatile double scaled = std::ldexp(number, -shift);
    whole = std::nearbyint(scaled);
  }
  const double result = std::copysign(std::ldexp(whole, shift), number);
  if (std::abs(result) <= format.largest) return result;
  const bool stays = mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && number > 0) ||
                     (mode == FE_UPWARD && number < 0);
  return std::copysign(stays ? format.largest : std::numeric_limits<double>::infinity(), number);
}

// The double whose last bit says whether anything was cut off: every narrower format rounds it as
// it would the exact value of `compute`, which is a function of no arguments.
template <typename Compute>
[[nodiscard]] double odd(Compute compute) {
  const HostRounding rounding(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  const volatile double cut = compute();
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(cut));
  return inexact && std::isfinite(cut) ? std::bit_cast<double>(bits | 1U) : cut;
}

[[nodiscard]] inline double f32(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
[[nodiscard]] inline double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }
[[nodiscard]] inline double bf16(std::uint64_t bits) { return f32((bits & 0xffffU) << 16); }
// A format of 1 sign bit, exponent and mantissa whose highest exponent is for infinity and NaN.
[[nodiscard]] inline double small_float(std::uint64_t bits, int exponent_bits, int mantissa_bits) {
  const double sign = ((bits >> (exponent_bits + mantissa_bits)) & 1U) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1));
  const auto mantissa = static_cast<double>(bits & ((1U << mantissa_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::copysign(std::numeric_limits<double>::quiet_NaN(), sign)
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign *
         std::ldexp(mantissa + std::ldexp(1, mantissa_bits), exponent - bias - mantissa_bits);
}
[[nodiscard]] inline double f16(std::uint64_t bits) { return small_float(bits & 0xffffU, 5, 10); }
[[nodiscard]] inline double e5m2(std::uint64_t bits) { return small_float(bits & 0xffU, 5, 2); }
[[nodiscard]] inline double e4m3(std::uint64_t bits) {
  if ((bits & 0x7fU) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  // The highest exponent is of ordinary numbers: one exponent more is read and nothing reserved.
  const double wide = small_float((bits & 0x7fU), 5, 3);
  return ((bits & 0x80U) != 0 ? -1 : 1) * std::ldexp(wide, 8);
}

// The same value and sign, or both NaN.
[[nodiscard]] inline bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

[[nodiscard]] inline std::vector<std::uint64_t> f32_edges() {
  return {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
          0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40400000,
          0xc0400000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f800000, 0xff800000, 0x7fc00000,
          0x1f800000, 0x9f800001, 0x4b000001, 0x4b800001, 0x34000000, 0x33800000, 0xb3800000,
          0x3eaaaaab, 0x7e800000, 0x7e800001, 0xfe900000};
}
[[nodiscard]] inline std::vector<std::uint64_t> f64_edges() {
  return {0,
          0x8000000000000000,
          1,
          0x8000000000000001,
          0x000fffffffffffff,
          0x800fffffffffffff,
          0x0010000000000000,
          0x0010000000000001,
          0x3ff0000000000000,
          0xbff0000000000000,
          0x3fefffffffffffff,
          0x3ff0000000000001,
          0x4008000000000000,
          0x7fefffffffffffff,
          0xffefffffffffffff,
          0x7ff0000000000000,
          0xfff0000000000000,
          0x7ff8000000000000,
          0x1ff0000000000001,
          0x9ff0000000000003,
          0x4340000000000001,
          0x3cb0000000000000,
          0xbca0000000000000,
          0x3fd5555555555555,
          0x7fe0000000000000,
          0x36a0000000000000,   // the smallest float
          0x3690000000000001,   // a little more than half of it
          0x47efffffe0000000,   // the largest
          0x47efffffefffffff,   // just below the tie with infinity
          0x47effffff0000000,   // the tie
          0x40effc0000000000,   // 65504
          0x40effe0000000000};  // 65520
}
[[nodiscard]] inline std::vector<std::uint64_t> f16_edges() {
  return {0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00,
          0xbc00, 0x3bff, 0x3c01, 0x4200, 0xc200, 0x7bff, 0xfbff, 0x7bfe, 0x7c00,
          0xfc00, 0x7e00, 0x1400, 0x6400, 0x6bff, 0x3555, 0x0401, 0x1001};
}
[[nodiscard]] inline std::vector<std::uint64_t> bf16_edges() {
  return {0,      0x8000, 1,      0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x3f80,
          0xbf80, 0x3f7f, 0x3f81, 0x4040, 0xc040, 0x7f7f, 0xff7f, 0x7f7e, 0x7f80,
          0xff80, 0x7fc0, 0x1f81, 0x9f83, 0x4b01, 0x3eab, 0x2001, 0x1c03};
}

}  // namespace emulator::testing
