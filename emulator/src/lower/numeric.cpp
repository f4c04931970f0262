#include "lower/numeric.h"

#include <string>

#include "lower/nan.h"

namespace emulator::lower {
namespace {

constexpr std::uint64_t kExponentOfFloat = 0x7f800000;
constexpr std::uint64_t kExponentOfDouble = 0x7ff0000000000000;
constexpr std::uint64_t kCanonicalNanDouble = 0x7fffffffffffffff;

constexpr std::uint64_t kFloatMagnitude = 0x7fffffff;
constexpr std::uint64_t kInfinityOfFloat = 0x7f800000;

// Below zero all bits but the sign are turned; twice is not at all.
Value with_order_of_sign(Ir& ir, const Value& bits) {
  const Value below = ir.binary("ashr", bits, 31);
  return ir.binary("xor", bits, ir.binary("and", below, kFloatMagnitude));
}

Value is_nan(Ir& ir, const Value& v) { return ir.compare("fcmp uno", v, v); }

}  // namespace

Value half_to_float(Ir& ir, const Value& bits, ptx::Type type) {
  if (type == ptx::Type::f16) return ir.cast("fpext", ir.bitcast(bits, "half"), "float");
  if (type == ptx::Type::bf16) {
    return ir.bitcast(ir.binary("shl", ir.resize(bits, "i32", false), 16), "float");
  }
  return ir.bitcast(bits, "float");
}

Value flush_subnormals(Ir& ir, const Value& value) {
  const bool wide = bits_of(value.element) == 64;
  const std::string integer = wide ? "i64" : "i32";
  const std::uint64_t sign = std::uint64_t{1} << (wide ? 63 : 31);
  const Value bits = ir.bitcast(value, integer);
  // Of a subnormal, as of a zero: to test for that is one instruction of AVX-512.
  const Value exponent = ir.binary("and", bits, wide ? kExponentOfDouble : kExponentOfFloat);
  const Value small = ir.compare("icmp eq", exponent, 0);
  return ir.bitcast(ir.select(small, ir.binary("and", bits, sign), bits), value.element);
}

Value flush_half(Ir& ir, const Value& bits, ptx::Type type) {
  const std::uint64_t exponent = type == ptx::Type::f16 ? 0x7c00 : 0x7f80;
  const Value subnormal = ir.compare("icmp eq", ir.binary("and", bits, exponent), 0);
  return ir.select(subnormal, ir.binary("and", bits, 0x8000), bits);
}

Value saturate(Ir& ir, const Value& value) {
  const unsigned width = bits_of(value.element);
  const Value zero = ir.float_constant(0, value.element, value.lanes);
  const Value one =
      ir.float_constant(width == 64 ? 0x3ff0000000000000 : 0x3f800000, value.element, value.lanes);
  // An ordered comparison is false for NaN, which therefore becomes 0.
  const Value positive = ir.select(ir.compare("fcmp ogt", value, zero), value, zero);
  return ir.select(ir.compare("fcmp olt", positive, one), positive, one);
}

Value float_extreme(Ir& ir, const Value& a, const Value& b, bool maximum, bool propagates_nan) {
  const unsigned width = bits_of(a.element);
  const std::string integer = "i" + std::to_string(width);
  const Value a_wins = ir.compare(maximum ? "fcmp ogt" : "fcmp olt", a, b);
  Value result = ir.select(a_wins, a, b);
  // Equal values differ only as +0 and -0 do: the sign of the minimum is set where either is, of
  // the maximum where both.
  const Value signs = ir.bitcast(
      ir.binary(maximum ? "and" : "or", ir.bitcast(a, integer), ir.bitcast(b, integer)), a.element);
  result = ir.select(ir.compare("fcmp oeq", a, b), signs, result);
  const Value a_nan = is_nan(ir, a);
  const Value b_nan = is_nan(ir, b);
  const Value canonical =
      ir.float_constant(width == 64 ? kCanonicalNanDouble : kCanonicalNanFloat, a.element, a.lanes);
  if (propagates_nan) return ir.select(ir.binary("or", a_nan, b_nan), canonical, result);
  result = ir.select(a_nan, b, result);
  result = ir.select(b_nan, a, result);
  return ir.select(ir.binary("and", a_nan, b_nan), canonical, result);
}

Value signed_extreme(Ir& ir, const Value& a, const Value& b, bool maximum, bool propagates_nan) {
  const auto magnitude = [&](const Value& v) {
    return ir.intrinsic("fabs", {v}, v.element, v.lanes);
  };
  const Value value = float_extreme(ir, magnitude(a), magnitude(b), maximum, propagates_nan);
  const std::string integer = "i" + std::to_string(bits_of(a.element));
  const Value signs =
      ir.bitcast(ir.binary("xor", ir.bitcast(a, integer), ir.bitcast(b, integer)), a.element);
  const Value with_sign = ir.intrinsic("copysign", {value, signs}, a.element, a.lanes);
  return ir.select(is_nan(ir, value), value, with_sign);
}

// Integers order the bits of positive floats as the floats are; those of negative ones the other
// way round.
Value extreme_key(Ir& ir, const Value& bits, bool maximum, bool propagates_nan) {
  const Value nan =
      ir.compare("icmp ugt", ir.binary("and", bits, kFloatMagnitude), kInfinityOfFloat);
  const std::uint64_t of_nan = propagates_nan == maximum ? 0x7fffffff : 0x80000000;
  return ir.select(nan, Ir::constant(of_nan, "i32", bits.lanes), with_order_of_sign(ir, bits));
}

Value float_of_key(Ir& ir, const Value& key) {
  const Value bits = with_order_of_sign(ir, key);
  const Value nan =
      ir.compare("icmp ugt", ir.binary("and", bits, kFloatMagnitude), kInfinityOfFloat);
  return ir.select(nan, Ir::constant(kCanonicalNanFloat, "i32", bits.lanes), bits);
}

}  // namespace emulator::lower
