#include "emulator/lower/numeric.h"

#include <string>

namespace emulator::lower {
namespace {

constexpr std::uint64_t kSmallestNormalFloat = 0x00800000;
constexpr std::uint64_t kCanonicalNanFloat = 0x7fffffff;
constexpr std::uint64_t kCanonicalNanDouble = 0x7fffffffffffffff;
constexpr std::uint64_t kCanonicalNanHalf = 0x7fff;

Value is_nan(Ir& ir, const Value& v) { return ir.compare("fcmp uno", v, v); }

}  // namespace

Value half_to_float(Ir& ir, const Value& bits, ptx::Type type) {
  if (type == ptx::Type::f16) return ir.cast("fpext", ir.bitcast(bits, "half"), "float");
  if (type == ptx::Type::bf16) {
    return ir.bitcast(ir.binary("shl", ir.resize(bits, "i32", false), 16), "float");
  }
  return ir.bitcast(bits, "float");
}

Value float_to_half(Ir& ir, const Value& value, ptx::Type type, bool towards_zero) {
  const Value nan = is_nan(ir, value);
  const Value canonical = Ir::constant(kCanonicalNanHalf, "i16", value.lanes);
  if (type == ptx::Type::f16) {
    const Value rounded = ir.cast("fptrunc", value, "half");
    Value bits = ir.bitcast(rounded, "i16");
    if (towards_zero) {
      // Where rounding moved away from zero, the next value towards it is one less in the bits;
      // that also turns an overflow to infinity into the largest finite value.
      const Value back = ir.cast("fpext", rounded, "float");
      const auto magnitude = [&](const Value& v) {
        return ir.binary("and", ir.bitcast(v, "i32"), 0x7fffffff);
      };
      const Value away = ir.compare("icmp ugt", magnitude(back), magnitude(value));
      const Value infinite = ir.compare("icmp eq", magnitude(value), 0x7f800000);
      const Value adjust = ir.binary("and", away, ir.binary("xor", infinite, 1));
      bits = ir.binary("sub", bits, ir.resize(adjust, "i16", false));
    }
    return ir.select(nan, canonical, bits);
  }
  const Value bits = ir.bitcast(value, "i32");
  Value rounded = bits;
  if (!towards_zero) {
    // Adds half a unit in the last place, less one where the kept part is even: ties go to even.
    const Value odd = ir.binary("and", ir.binary("lshr", bits, 16), 1);
    rounded = ir.binary("add", bits, ir.binary("add", odd, 0x7fff));
  }
  const Value upper = ir.resize(ir.binary("lshr", rounded, 16), "i16", false);
  return ir.select(nan, canonical, upper);
}

Value flush_subnormals(Ir& ir, const Value& value) {
  const Value bits = ir.bitcast(value, "i32");
  const Value magnitude = ir.binary("and", bits, 0x7fffffff);
  const Value small = ir.compare("icmp ult", magnitude, kSmallestNormalFloat);
  const Value zero = ir.binary("and", bits, 0x80000000);
  return ir.bitcast(ir.select(small, zero, bits), "float");
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

}  // namespace emulator::lower
