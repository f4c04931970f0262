#include "lower/small_floats.h"

#include "lower/rounding.h"

namespace emulator::lower {
namespace {

constexpr std::uint64_t kNanByte = 0x7f;  // in both formats

// e4m3 of a magnitude: exponent bias 7, no infinity, 0x7e (448) the largest.
Value magnitude_to_e4m3(Ir& ir, const Value& magnitude) {
  constexpr std::uint64_t kLargest = 0x43e00000;         // 448
  constexpr std::uint64_t kSmallestNormal = 0x3c800000;  // 2^-6
  constexpr std::uint64_t kBiasDifference = 127 - 7;
  // Adding 2^14 leaves a subnormal's bits, units of 2^-9 rounded to even, in the lowest bits.
  constexpr std::uint64_t kShifter = 0x46800000;
  const Value bits = ir.bitcast(magnitude, "i32");
  const Value rebased = ir.binary("sub", bits, kBiasDifference << 23);
  const Value odd = ir.binary("and", ir.binary("lshr", rebased, 20), 1);
  const Value normal =
      ir.binary("lshr", ir.binary("add", rebased, ir.binary("add", odd, 0x7ffff)), 20);
  const Value shifted =
      ir.binary("fadd", magnitude, ir.float_constant(kShifter, "float", magnitude.lanes));
  const Value subnormal = ir.binary("sub", ir.bitcast(shifted, "i32"), kShifter);
  const Value finite = ir.select(ir.compare("icmp ult", bits, kSmallestNormal), subnormal, normal);
  const Value large = ir.compare("icmp ugt", bits, kLargest);
  return ir.select(large, Ir::constant(0x7e, "i32", magnitude.lanes), finite);
}

// e5m2 is the upper half of f16.
Value magnitude_to_e5m2(Ir& ir, const Value& magnitude) {
  constexpr std::uint64_t kLargest = 0x47600000;  // 57344
  const Value wide = ir.cast("fpext", magnitude, "double");
  // f16 rounded to odd: what is cut off leaves its mark in the last bit.
  const Value half =
      ir.resize(narrow_to_half(ir, magnitude, ptx::Type::f16, Rounding::zero), "i32", false);
  const Value back = ir.cast("fpext", ir.bitcast(ir.resize(half, "i16", false), "half"), "double");
  const Value inexact = ir.resize(ir.compare("fcmp one", back, wide), "i32", false);
  const Value sticky = ir.binary("or", half, inexact);
  const Value odd = ir.binary("and", ir.binary("lshr", sticky, 8), 1);
  const Value rounded = ir.binary("lshr", ir.binary("add", sticky, ir.binary("add", odd, 0x7f)), 8);
  const Value large = ir.compare("icmp ugt", ir.bitcast(magnitude, "i32"), kLargest);
  return ir.select(large, Ir::constant(0x7b, "i32", magnitude.lanes), rounded);
}

}  // namespace

Value float_to_small(Ir& ir, const Value& value, ptx::Type pair) {
  const Value magnitude = ir.intrinsic("fabs", {value}, "float", value.lanes);
  const Value bits = pair == ptx::Type::e4m3x2 ? magnitude_to_e4m3(ir, magnitude)
                                               : magnitude_to_e5m2(ir, magnitude);
  const Value sign = ir.binary("and", ir.binary("lshr", ir.bitcast(value, "i32"), 24), 0x80);
  const Value nan = ir.compare("fcmp uno", value, value);
  const Value result =
      ir.select(nan, Ir::constant(kNanByte, "i32", value.lanes), ir.binary("or", bits, sign));
  return ir.resize(result, "i8", false);
}

Value small_to_f16(Ir& ir, const Value& bits, ptx::Type pair) {
  const Value wide = ir.resize(bits, "i16", false);
  const Value canonical = Ir::constant(kCanonicalNanHalf, "i16", bits.lanes);
  const Value magnitude = ir.binary("and", wide, 0x7f);
  if (pair == ptx::Type::e5m2x2) {
    const Value nan = ir.compare("icmp ugt", magnitude, 0x7c);
    return ir.select(nan, canonical, ir.binary("shl", wide, 8));
  }
  const Value sign = ir.binary("shl", ir.binary("and", wide, 0x80), 8);
  // Read as an f16 the number is 2^8 too small, subnormals included.
  const Value small = ir.bitcast(ir.binary("shl", magnitude, 7), "half");
  const Value scaled = ir.binary("fmul", ir.cast("fpext", small, "float"),
                                 ir.float_constant(0x43800000, "float", bits.lanes));
  const Value half = narrow_to_half(ir, scaled, ptx::Type::f16, Rounding::nearest);
  const Value nan = ir.compare("icmp eq", magnitude, kNanByte);
  return ir.select(nan, canonical, ir.binary("or", half, sign));
}

}  // namespace emulator::lower
