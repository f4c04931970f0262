#include "lower/rounding.h"

namespace emulator::lower {
namespace {

using ptx::Modifier;

Value negated(Ir& ir, const Value& v) { return ir.define("fneg " + v.typed(), v.element, v.lanes); }
std::string integer_like(const Value& v) { return "i" + std::to_string(bits_of(v.element)); }
std::uint64_t sign_bit(const std::string& element) {
  return std::uint64_t{1} << (bits_of(element) - 1);
}
Value is_negative(Ir& ir, const Value& bits) { return ir.compare("icmp slt", bits, 0); }
Value magnitude(Ir& ir, const Value& v) { return ir.intrinsic("fabs", {v}, v.element, v.lanes); }
Value one_or_minus_one(Ir& ir, const Value& condition, const std::string& element) {
  return ir.select(condition, Ir::constant(1, element, condition.lanes),
                   Ir::constant(~std::uint64_t{0}, element, condition.lanes));
}

// Moves `bits`, the bits of a rounded number whose value is `rounded`, to the neighbour on the
// other side of `exact` where rounding went against the direction. IEEE numbers of one sign are
// ordered as their bits are, infinity included.
Value corrected(Ir& ir, const Value& bits, const Value& rounded, const Value& exact,
                Rounding rounding) {
  Value wrong;
  Value step;
  switch (rounding) {
    case Rounding::nearest:
      return bits;
    case Rounding::zero:
      wrong = ir.compare("fcmp ogt", magnitude(ir, rounded), magnitude(ir, exact));
      step = Ir::constant(~std::uint64_t{0}, bits.element, bits.lanes);
      break;
    case Rounding::down:
      wrong = ir.compare("fcmp ogt", rounded, exact);
      step = one_or_minus_one(ir, is_negative(ir, bits), bits.element);
      break;
    case Rounding::up:
      wrong = ir.compare("fcmp olt", rounded, exact);
      step = one_or_minus_one(ir, ir.compare("icmp sge", bits, 0), bits.element);
      break;
  }
  return ir.select(wrong, ir.binary("add", bits, step), bits);
}

Value narrow_to_f16(Ir& ir, const Value& number, Rounding rounding) {
  const Value rounded = ir.cast("fptrunc", number, "half");
  Value bits = ir.bitcast(rounded, "i16");
  if (rounding == Rounding::nearest) return bits;
  return corrected(ir, bits, ir.cast("fpext", rounded, "float"), number, rounding);
}

Value narrow_to_bf16(Ir& ir, const Value& number, Rounding rounding) {
  const Value bits = ir.bitcast(number, "i32");
  Value rounded = bits;
  if (rounding == Rounding::nearest) {
    // Adds half a unit in the last place, less one where the kept part is even: ties go to even.
    const Value odd = ir.binary("and", ir.binary("lshr", bits, 16), 1);
    rounded = ir.binary("add", bits, ir.binary("add", odd, 0x7fff));
  } else if (rounding != Rounding::zero) {
    // What is cut off lies towards zero; away from it is one unit more, unless nothing is cut off.
    const Value negative = is_negative(ir, bits);
    const Value away = rounding == Rounding::down ? negative : ir.binary("xor", negative, 1);
    rounded = ir.select(away, ir.binary("add", bits, 0xffff), bits);
  }
  return ir.resize(ir.binary("lshr", rounded, 16), "i16", false);
}

}  // namespace

Rounding rounding_of(const ptx::Instruction& instruction) {
  if (instruction.has(Modifier::rz)) return Rounding::zero;
  if (instruction.has(Modifier::rm)) return Rounding::down;
  if (instruction.has(Modifier::rp)) return Rounding::up;
  return Rounding::nearest;
}

Exact exact_sum(Ir& ir, const Value& a, const Value& b) {
  // Knuth's two-sum: the rest is the exact error.
  const Value sum = ir.binary("fadd", a, b);
  const Value b_in_sum = ir.binary("fsub", sum, a);
  const Value a_in_sum = ir.binary("fsub", sum, b_in_sum);
  const Value rest =
      ir.binary("fadd", ir.binary("fsub", a, a_in_sum), ir.binary("fsub", b, b_in_sum));
  return {sum, rest};
}

Exact exact_quotient(Ir& ir, const Value& a, const Value& b) {
  const Value quotient = ir.binary("fdiv", a, b);
  const Value remainder = ir.intrinsic("fma", {negated(ir, quotient), b, a}, a.element, a.lanes);
  const std::string integer = integer_like(a);
  const Value sign = ir.binary("and", ir.bitcast(b, integer), sign_bit(a.element));
  return {quotient, ir.bitcast(ir.binary("xor", ir.bitcast(remainder, integer), sign), a.element)};
}

Exact exact_root(Ir& ir, const Value& a) {
  const Value root = ir.intrinsic("sqrt", {a}, a.element, a.lanes);
  return {root, ir.intrinsic("fma", {negated(ir, root), root, a}, a.element, a.lanes)};
}

Exact exact_integer(Ir& ir, const Value& integer, bool is_signed) {
  if (bits_of(integer.element) <= 32) {
    return {ir.cast(is_signed ? "sitofp" : "uitofp", integer, "double"), std::nullopt};
  }
  // Both halves are exact doubles, the upper one the larger or zero.
  const Value upper = ir.resize(ir.binary(is_signed ? "ashr" : "lshr", integer, 32), "i32", false);
  const Value lower = ir.resize(integer, "i32", false);
  constexpr std::uint64_t kTwoTo32 = 0x41f0000000000000;
  const Value scaled = ir.binary("fmul", ir.cast(is_signed ? "sitofp" : "uitofp", upper, "double"),
                                 ir.float_constant(kTwoTo32, "double", integer.lanes));
  return exact_sum(ir, scaled, ir.cast("uitofp", lower, "double"));
}

Value rounded_to_odd(Ir& ir, const Exact& exact) {
  if (!exact.rest) return exact.value;
  const Value bits = ir.bitcast(exact.value, "i64");
  const Value rest = ir.bitcast(*exact.rest, "i64");
  const Value inexact =
      ir.compare("fcmp one", *exact.rest, ir.float_constant(0, "double", exact.value.lanes));
  const Value even = ir.compare("icmp eq", ir.binary("and", bits, 1), 0);
  const Value same_sign = ir.compare("icmp sge", ir.binary("xor", bits, rest), 0);
  const Value stepped = ir.binary("add", bits, one_or_minus_one(ir, same_sign, "i64"));
  return ir.bitcast(ir.select(ir.binary("and", inexact, even), stepped, bits), "double");
}

Value odd_float(Ir& ir, const Value& number) {
  const Value rounded = ir.cast("fptrunc", number, "float");
  const Value back = ir.cast("fpext", rounded, "double");
  const Value bits = ir.bitcast(rounded, "i32");
  const Value inexact = ir.compare("fcmp one", back, number);
  const Value even = ir.compare("icmp eq", ir.binary("and", bits, 1), 0);
  const Value below = ir.compare("fcmp olt", magnitude(ir, back), magnitude(ir, number));
  const Value stepped = ir.binary("add", bits, one_or_minus_one(ir, below, "i32"));
  return ir.bitcast(ir.select(ir.binary("and", inexact, even), stepped, bits), "float");
}

Value narrow_to_float(Ir& ir, const Value& number, Rounding rounding) {
  Value rounded = ir.cast("fptrunc", number, "float");
  if (rounding == Rounding::nearest) return rounded;
  const Value bits = corrected(ir, ir.bitcast(rounded, "i32"), ir.cast("fpext", rounded, "double"),
                               number, rounding);
  return ir.bitcast(bits, "float");
}

Value narrow_to_half(Ir& ir, const Value& number, ptx::Type type, Rounding rounding) {
  const Value nan = ir.compare("fcmp uno", number, number);
  const Value bits = type == ptx::Type::f16 ? narrow_to_f16(ir, number, rounding)
                                            : narrow_to_bf16(ir, number, rounding);
  return ir.select(nan, Ir::constant(kCanonicalNanHalf, "i16", number.lanes), bits);
}

Value round_double(Ir& ir, const Exact& exact, Rounding rounding) {
  if (!exact.rest || rounding == Rounding::nearest) return exact.value;
  const Value zero = ir.float_constant(0, "double", exact.value.lanes);
  const Value below = ir.compare("fcmp olt", *exact.rest, zero);  // the exact number is below
  const Value above = ir.compare("fcmp ogt", *exact.rest, zero);
  const Value bits = ir.bitcast(exact.value, "i64");
  const Value negative = is_negative(ir, bits);
  Value wrong;
  Value step = Ir::constant(~std::uint64_t{0}, "i64", bits.lanes);
  if (rounding == Rounding::zero) {
    wrong = ir.select(negative, above, below);
  } else if (rounding == Rounding::down) {
    wrong = below;
    step = one_or_minus_one(ir, negative, "i64");
  } else {
    wrong = above;
    step = one_or_minus_one(ir, ir.binary("xor", negative, 1), "i64");
  }
  return ir.bitcast(ir.select(wrong, ir.binary("add", bits, step), bits), "double");
}

Value zero_sum_downwards(Ir& ir, const Value& sum, const Value& a, const Value& b) {
  const std::string integer = integer_like(sum);
  const Value signs =
      ir.binary("and", ir.binary("or", ir.bitcast(a, integer), ir.bitcast(b, integer)),
                sign_bit(sum.element));
  const Value zero = ir.compare("fcmp oeq", sum, ir.float_constant(0, sum.element, sum.lanes));
  return ir.select(zero, ir.bitcast(signs, sum.element), sum);
}

}  // namespace emulator::lower
