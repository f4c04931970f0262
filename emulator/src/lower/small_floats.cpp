#include "lower/small_floats.h"

#include "lower/rounding.h"

namespace emulator::lower {
namespace {

using ptx::Type;

constexpr unsigned kFloatBias = 127;
constexpr unsigned kFloatMantissa = 23;
constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kFloatMantissa;
constexpr std::uint64_t kMagnitudeMask = 0x7fffffff;
constexpr std::uint64_t kFloatInfinity = 0x7f800000;

// exponent, mantissa, bias, largest, NaN, random bits (PTX ISA, cvt: 13 for f16, 16 for bf16, 8 for
// each of four numbers).
constexpr SmallFormat kF16{5, 10, 15, 0x7bff, 0x7fff, 13};
constexpr SmallFormat kBf16{8, 7, 127, 0x7f7f, 0x7fff, 16};
constexpr SmallFormat kE4m3{4, 3, 7, 0x7e, 0x7f, 8};
constexpr SmallFormat kE5m2{5, 2, 15, 0x7b, 0x7f, 8};
constexpr SmallFormat kE2m3{2, 3, 1, 0x1f, 0x1f, 8};
constexpr SmallFormat kE3m2{3, 2, 3, 0x1f, 0x1f, 8};
constexpr SmallFormat kE2m1{2, 1, 1, 0x7, 0x7, 8};

Value is_nan(Ir& ir, const Value& magnitude) {
  return ir.compare("icmp ugt", magnitude, kFloatInfinity);
}

// What is added to the kept bits, of which the lowest counts 1, for those that are not: 0 or 1.
// `discarded` has `count` bits.
Value carry_to_nearest(Ir& ir, const Value& kept, const Value& discarded, const Value& count) {
  const Value one = Ir::constant(1, "i32", kept.lanes);
  const Value half = ir.binary("shl", one, ir.binary("sub", count, 1));
  const Value odd = ir.binary("and", kept, 1);
  const Value up = ir.compare("icmp ugt", ir.binary("add", discarded, odd), half);
  return ir.resize(up, "i32", false);
}

// PTX ISA, cvt: .rs rounds away from zero where the random bits and as many of those discarded,
// from the highest on, add to more than these bits hold.
Value carry_of_sum(Ir& ir, const Value& discarded, const Value& count, const Value& random,
                   unsigned bits) {
  const Value highest = ir.binary("lshr", discarded, ir.binary("sub", count, bits));
  return ir.binary("lshr", ir.binary("add", highest, random), bits);
}

// The code of the magnitude of a number, before it is limited.
Value magnitude_code(Ir& ir, const Value& magnitude, const SmallFormat& format,
                     const std::optional<Value>& random) {
  const auto constant = [&](std::uint64_t number) {
    return Ir::constant(number, "i32", magnitude.lanes);
  };
  const auto at_least = [&](const Value& value, std::uint64_t least) {
    return ir.select(ir.compare("icmp ult", value, least), constant(least), value);
  };
  // The exponent, as a float has it, of the format's smallest normal number.
  const std::uint64_t lowest = kFloatBias + 1 - format.bias;
  const Value exponent = at_least(ir.binary("lshr", magnitude, kFloatMantissa), 1);
  const Value hidden =
      ir.select(ir.compare("icmp ult", magnitude, kHiddenBit), constant(0), constant(kHiddenBit));
  const Value whole = ir.binary("or", ir.binary("and", magnitude, kHiddenBit - 1), hidden);
  const Value scale = at_least(exponent, lowest);
  const Value count =
      ir.binary("sub", ir.binary("add", scale, kFloatMantissa - format.mantissa_bits), exponent);
  // Of a number as small as that nothing is kept, and nothing of what is discarded matters.
  const Value far = ir.compare("icmp ugt", count, 31);
  const Value significand = ir.select(far, constant(0), whole);
  const Value discards = ir.select(far, constant(31), count);
  const Value kept = ir.binary("lshr", significand, discards);
  const Value mask = ir.binary("sub", ir.binary("shl", constant(1), discards), 1);
  const Value discarded = ir.binary("and", significand, mask);
  const Value carry = random ? carry_of_sum(ir, discarded, discards, *random, format.random_bits)
                             : carry_to_nearest(ir, kept, discarded, discards);
  const Value base = ir.binary("shl", ir.binary("sub", scale, lowest), format.mantissa_bits);
  return ir.binary("add", base, ir.binary("add", kept, carry));
}

}  // namespace

const SmallFormat* small_format(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return &kF16;
    case Type::bf16:
    case Type::bf16x2:
      return &kBf16;
    case Type::e4m3x2:
    case Type::e4m3x4:
      return &kE4m3;
    case Type::e5m2x2:
    case Type::e5m2x4:
      return &kE5m2;
    case Type::e2m3x2:
    case Type::e2m3x4:
      return &kE2m3;
    case Type::e3m2x2:
    case Type::e3m2x4:
      return &kE3m2;
    case Type::e2m1x2:
    case Type::e2m1x4:
      return &kE2m1;
    default:
      return nullptr;
  }
}

Value float_to_small(Ir& ir, const Value& value, const SmallFormat& format, std::uint64_t largest,
                     const std::optional<Value>& random) {
  const Value bits = ir.bitcast(value, "i32");
  const Value magnitude = ir.binary("and", bits, kMagnitudeMask);
  const auto constant = [&](std::uint64_t number) {
    return Ir::constant(number, "i32", value.lanes);
  };
  const Value code = magnitude_code(ir, magnitude, format, random);
  const Value limited = ir.select(ir.compare("icmp ugt", code, largest), constant(largest), code);
  const unsigned sign_place = format.exponent_bits + format.mantissa_bits;
  const Value sign = ir.binary("shl", ir.binary("lshr", bits, 31), sign_place);
  return ir.select(is_nan(ir, magnitude), constant(format.nan), ir.binary("or", limited, sign));
}

Value small_to_f16(Ir& ir, const Value& code, const SmallFormat& format) {
  const unsigned width = format.exponent_bits + format.mantissa_bits;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const Value magnitude = ir.binary("and", code, mask);
  const Value sign = ir.binary("shl", ir.binary("and", code, mask + 1), 15 - width);
  // Read as an f16 the number is too small by the difference of the biases, subnormals included.
  const Value placed = ir.binary("shl", magnitude, kF16.mantissa_bits - format.mantissa_bits);
  const Value small = ir.bitcast(ir.resize(placed, "i16", false), "half");
  const std::uint64_t scale = std::uint64_t{kFloatBias + kF16.bias - format.bias} << kFloatMantissa;
  const Value scaled = ir.binary("fmul", ir.cast("fpext", small, "float"),
                                 ir.float_constant(scale, "float", code.lanes));
  const Value half = narrow_to_half(ir, scaled, Type::f16, Rounding::nearest);
  Value number = ir.binary("or", half, ir.resize(sign, "i16", false));
  if (format.nan == format.largest) return number;
  // What lies behind the largest is NaN, but for the infinity of e5m2.
  const bool has_infinity = format.largest + 1 != format.nan;
  const std::uint64_t last = format.largest + (has_infinity ? 1 : 0);
  return ir.select(ir.compare("icmp ugt", magnitude, last),
                   Ir::constant(kCanonicalNanHalf, "i16", code.lanes), number);
}

Value float_to_power(Ir& ir, const Value& value, Upwards upwards, Limited limited) {
  constexpr std::uint64_t kSmallest = 0x00400000;  // 2^-127, whose code is 0
  constexpr std::uint64_t kNan = 0xff;
  const Value magnitude = ir.binary("and", ir.bitcast(value, "i32"), kMagnitudeMask);
  Value code = ir.binary("lshr", magnitude, kFloatMantissa);
  if (upwards == Upwards::yes) {
    const Value fraction = ir.compare("icmp ne", ir.binary("and", magnitude, kHiddenBit - 1), 0);
    const Value above = ir.binary("and", ir.compare("icmp ugt", magnitude, kSmallest),
                                  ir.compare("icmp ult", magnitude, kFloatInfinity));
    const Value up = ir.binary("and", fraction, above);
    code = ir.binary("add", code, ir.resize(up, "i32", false));
  }
  if (limited == Limited::no) return code;
  const Value too_large = ir.binary("and", ir.compare("icmp eq", code, kNan),
                                    ir.compare("icmp ule", magnitude, kFloatInfinity));
  return ir.select(too_large, Ir::constant(kNan - 1, "i32", value.lanes), code);
}

Value power_to_bf16(Ir& ir, const Value& code) {
  constexpr std::uint64_t kSmallest = 0x0040;  // 2^-127 is subnormal
  const auto constant = [&](std::uint64_t number) {
    return Ir::constant(number, "i32", code.lanes);
  };
  const Value power = ir.select(ir.compare("icmp eq", code, 0), constant(kSmallest),
                                ir.binary("shl", code, kBf16.mantissa_bits));
  return ir.select(ir.compare("icmp eq", code, 0xff), constant(kBf16.nan), power);
}

}  // namespace emulator::lower
