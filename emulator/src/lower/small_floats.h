// The floating-point formats of 16 bits and less, as codes: sign, exponent, mantissa.
#pragma once

#include <cstdint>
#include <optional>

#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

struct SmallFormat {
  unsigned exponent_bits;
  unsigned mantissa_bits;
  unsigned bias;
  std::uint64_t largest;  // the code of the largest finite number
  std::uint64_t nan;      // of what NaN becomes: the largest number where there is no NaN
  unsigned random_bits;   // that .rs rounds by
};
// By the type of one number or of a register of several; null where it is none of these.
[[nodiscard]] const SmallFormat* small_format(ptx::Type type);

// float to the code (i32) in the format, to nearest even or, where random bits (i32) are given, by
// them. What is larger than `largest`, infinity included, becomes `largest`: a finite number, or
// the code behind the largest, which is infinity.
Value float_to_small(Ir& ir, const Value& value, const SmallFormat& format, std::uint64_t largest,
                     const std::optional<Value>& random);
// A code (i32) of a format of at most 8 bits as the bits (i16) of f16, exactly; NaN becomes 0x7fff.
// Bits above the code do not matter.
Value small_to_f16(Ir& ir, const Value& code, const SmallFormat& format);

// float to the code (i32) of ue8m0, a power of two: of the magnitude, towards zero or upwards. What
// is too large is the largest where it is limited, else NaN, 0xff.
enum class Upwards : std::uint8_t { no, yes };
enum class Limited : std::uint8_t { no, yes };
Value float_to_power(Ir& ir, const Value& value, Upwards upwards, Limited limited);
// A code (i32) of ue8m0 as the bits (i32) of bf16, exactly; NaN becomes 0x7fff.
Value power_to_bf16(Ir& ir, const Value& code);

}  // namespace emulator::lower
