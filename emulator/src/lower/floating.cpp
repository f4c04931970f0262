// Arithmetic on f32 and f64, in every rounding. Directed f32 results are computed in double and
// rounded once; directed f64 ones are the runtime's, which changes the processor's mode for them.
// Approximate functions are computed to the accuracy of the host's, which is better than PTX asks
// for.
#include "lower/arithmetic.h"
#include "lower/host_rounding.h"
#include "lower/numeric.h"
#include "lower/rounding.h"
#include "lower/special_functions.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;

class Floating {
 public:
  Floating(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        element_(element_of(instruction.type())),
        flush_(instruction.has(Modifier::ftz)),
        rounding_(rounding_of(instruction)) {
    // add.f32.f16 and its like, which newer devices have, mix two types.
    if (instruction.types.size() > 1) unsupported(instruction);
  }

  Value operand(std::size_t i) {
    const Value value = writer_.read(instruction_.operands.at(i), element_, lanes_);
    return flush_ ? flush_subnormals(ir_, value) : value;
  }

  void result(Value value) {
    if (flush_) value = flush_subnormals(ir_, value);
    if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
    writer_.write_result(instruction_, value);
  }

  void add_or_subtract(bool subtracts) {
    const Value a = operand(1);
    const Value b = operand(2);
    if (rounding_ == Rounding::nearest)
      return result(ir_.binary(subtracts ? "fsub" : "fadd", a, b));
    if (by_host(subtracts ? "sub" : "add", {a, b})) return;
    if (wide()) return directed(subtracts ? DirectedOp::sub : DirectedOp::add, {a, b});
    directed_sum(widened(a), subtracts ? negated(widened(b)) : widened(b));
  }
  void multiply() {
    const Value a = operand(1);
    const Value b = operand(2);
    if (rounding_ == Rounding::nearest) return result(ir_.binary("fmul", a, b));
    if (by_host("mul", {a, b})) return;
    if (wide()) return directed(DirectedOp::mul, {a, b});
    narrowed({ir_.binary("fmul", widened(a), widened(b)), std::nullopt});  // exact
  }
  void multiply_add() {
    const Value a = operand(1);
    const Value b = operand(2);
    const Value c = operand(3);
    if (rounding_ == Rounding::nearest) {
      return result(ir_.intrinsic("fma", {a, b, c}, element_, lanes_));
    }
    if (by_host("vfmadd", {a, b, c})) return;
    if (wide()) return directed(DirectedOp::fma, {a, b, c});
    directed_sum(ir_.binary("fmul", widened(a), widened(b)), widened(c));
  }
  void divide() {
    const Value a = operand(1);
    const Value b = operand(2);
    if (instruction_.has(Modifier::approx)) return result(approximate_quotient(a, b));
    quotient(a, b);
  }
  void reciprocal() {
    if (wide() && instruction_.has(Modifier::approx)) {
      return coarse(ir_.binary("fdiv", one(), operand(1)));
    }
    quotient(one(), operand(1));
  }
  void root() {
    const Value a = operand(1);
    if (rounding_ == Rounding::nearest) {
      return result(ir_.intrinsic("sqrt", {a}, element_, lanes_));
    }
    if (by_host("sqrt", {a})) return;
    if (wide()) return directed(DirectedOp::sqrt, {a});
    narrowed(exact_root(ir_, widened(a)));
  }
  void reciprocal_root() {
    const Value root = ir_.intrinsic("sqrt", {operand(1)}, element_, lanes_);
    const Value value = ir_.binary("fdiv", one(), root);
    if (wide() && flush_) return coarse(value);
    result(value);
  }
  void unary(const std::string& intrinsic) {
    result(ir_.intrinsic(intrinsic, {operand(1)}, element_, lanes_));
  }
  // 2 to the power of a subnormal is 1, as that of zero.
  void power() {
    result(power_of_two(ir_, writer_.read(instruction_.operands.at(1), element_, lanes_)));
  }
  void logarithm() { result(binary_logarithm(ir_, operand(1))); }
  void tangent() { result(hyperbolic_tangent(ir_, operand(1))); }
  void negate() { result(negated(operand(1))); }
  // copysign d, a, b: b with the sign of a.
  void copy_sign() {
    result(ir_.intrinsic("copysign", {operand(2), operand(1)}, element_, lanes_));
  }
  void extreme(bool maximum) {
    const bool propagates = instruction_.has(Modifier::NaN);
    const bool of_magnitudes = instruction_.has(Modifier::xorsign);
    if (of_magnitudes && instruction_.operands.size() > 3) unsupported(instruction_);
    if (of_magnitudes) {
      return result(signed_extreme(ir_, operand(1), operand(2), maximum, propagates));
    }
    Value value = float_extreme(ir_, operand(1), operand(2), maximum, propagates);
    if (instruction_.operands.size() > 3) {
      value = float_extreme(ir_, value, operand(3), maximum, propagates);
    }
    result(value);
  }

  void test_property() {
    const Value x = writer_.read(instruction_.operands.at(1), element_, lanes_);
    const bool wide = bits_of(element_) == 64;
    const std::string integer = wide ? "i64" : "i32";
    const std::uint64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
    const std::uint64_t smallest = wide ? 0x0010000000000000 : 0x00800000;
    const std::uint64_t magnitude_mask = wide ? 0x7fffffffffffffff : 0x7fffffff;
    const Value m = ir_.binary("and", ir_.bitcast(x, integer), magnitude_mask);
    const auto both = [&](const Value& a, const Value& b) { return ir_.binary("and", a, b); };
    Value holds;
    if (instruction_.has(Modifier::finite)) {
      holds = ir_.compare("icmp ult", m, infinity);
    } else if (instruction_.has(Modifier::infinite)) {
      holds = ir_.compare("icmp eq", m, infinity);
    } else if (instruction_.has(Modifier::number)) {
      holds = ir_.compare("icmp ule", m, infinity);
    } else if (instruction_.has(Modifier::notanumber)) {
      holds = ir_.compare("icmp ugt", m, infinity);
    } else if (instruction_.has(Modifier::normal)) {
      // Zero counts as normal here.
      holds = ir_.binary(
          "or", both(ir_.compare("icmp uge", m, smallest), ir_.compare("icmp ult", m, infinity)),
          ir_.compare("icmp eq", m, 0));
    } else if (instruction_.has(Modifier::subnormal)) {
      holds = both(ir_.compare("icmp ult", m, smallest), ir_.compare("icmp ne", m, 0));
    } else {
      unsupported(instruction_);
    }
    writer_.write_result(instruction_, holds);
  }

 private:
  using DirectedOp = runtime::DirectedOp;

  [[nodiscard]] bool wide() const { return element_ == "double"; }
  Value constant(std::uint64_t bits) { return ir_.float_constant(bits, element_, lanes_); }
  Value one() { return constant(wide() ? 0x3ff0000000000000 : 0x3f800000); }
  Value negated(const Value& v) { return ir_.define("fneg " + v.typed(), v.element, v.lanes); }
  Value widened(const Value& v) { return ir_.cast("fpext", v, "double"); }

  bool by_host(const char* operation, const std::vector<Value>& operands) {
    const std::optional<Value> value = rounded_by_host(ir_, operation, operands, rounding_);
    if (value) result(*value);
    return value.has_value();
  }
  void narrowed(const Exact& exact) {
    result(narrow_to_float(ir_, rounded_to_odd(ir_, exact), rounding_));
  }
  void directed_sum(const Value& a, const Value& b) {
    Exact sum = exact_sum(ir_, a, b);
    // Where the sum is zero nothing is missing, so that what follows keeps the sign.
    if (rounding_ == Rounding::down) sum.value = zero_sum_downwards(ir_, sum.value, a, b);
    narrowed(sum);
  }
  void quotient(const Value& a, const Value& b) {
    if (rounding_ == Rounding::nearest) return result(ir_.binary("fdiv", a, b));
    if (by_host("div", {a, b})) return;
    if (wide()) return directed(DirectedOp::div, {a, b});
    narrowed(exact_quotient(ir_, widened(a), widened(b)));
  }

  // div.approx multiplies with a reciprocal that is flushed where |b| is above 2^126: a quotient by
  // such a divisor is 0, or NaN where a is infinite.
  Value approximate_quotient(const Value& a, const Value& b) {
    constexpr std::uint64_t kTwoTo126 = 0x7e800000;
    constexpr std::uint64_t kInfinity = 0x7f800000;
    const Value divisor = ir_.binary("and", ir_.bitcast(b, "i32"), 0x7fffffff);
    const Value huge = ir_.binary("and", ir_.compare("icmp ugt", divisor, kTwoTo126),
                                  ir_.compare("icmp ult", divisor, kInfinity));
    const Value flushed =
        ir_.binary("fmul", a, ir_.intrinsic("copysign", {constant(0), b}, element_, lanes_));
    return ir_.select(huge, flushed, ir_.binary("fdiv", a, b));
  }

  // rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the upper half of a double; the lower one is
  // zero.
  void coarse(const Value& value) {
    const Value upper = ir_.binary("and", ir_.bitcast(value, "i64"), 0xffffffff00000000);
    result(ir_.bitcast(upper, element_));
  }

  void directed(DirectedOp operation, const std::vector<Value>& operands) {
    static constexpr runtime::Direction kDirections[] = {
        runtime::Direction::zero, runtime::Direction::zero, runtime::Direction::down,
        runtime::Direction::up};
    for (unsigned i = 0; i < operands.size(); ++i) {
      ir_.store(ir_.splat(operands[i], kLanes), writer_.value_area(i), 64);
    }
    const auto number = [](auto value) {
      return Ir::constant(static_cast<std::uint64_t>(value), "i32", 1);
    };
    writer_.call("emu_directed",
                 {number(operation), number(kDirections[static_cast<std::size_t>(rounding_)])});
    result(ir_.load(writer_.value_area(3), element_, lanes_, 64));
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  std::string element_;
  bool flush_;
  Rounding rounding_;
};

}  // namespace

void add_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).add_or_subtract(false);
}
void sub_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).add_or_subtract(true);
}
void mul_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).multiply();
}
void div_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).divide();
}
void fma_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).multiply_add();
}
void ex2_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).power();
}
void tanh_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).tangent();
}
void abs_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).unary("fabs");
}
void neg_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).negate();
}
void min_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).extreme(false);
}
void max_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).extreme(true);
}

void lower_rcp(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).reciprocal();
}
void lower_sqrt(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).root();
}
void lower_rsqrt(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).reciprocal_root();
}
void lower_sin(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).unary("sin");
}
void lower_cos(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).unary("cos");
}
void lower_lg2(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).logarithm();
}
void lower_copysign(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).copy_sign();
}
void lower_testp(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).test_property();
}

}  // namespace emulator::lower
