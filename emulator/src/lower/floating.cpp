// Arithmetic on f32, pairs of them, and f64, in every rounding. Directed f32 results are computed
// in double and rounded once; directed f64 ones are the runtime's, which changes the processor's
// mode for them. Terms and factors of f16 and bf16 (add.f32.f16 and its like) are f32 exactly.
// Approximate functions are computed to the accuracy of the host's, which is better than PTX asks
// for.
#include "lower/arithmetic.h"
#include "lower/host_rounding.h"
#include "lower/nan.h"
#include "lower/numeric.h"
#include "lower/operand_types.h"
#include "lower/rounding.h"
#include "lower/special_functions.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

class Floating {
 public:
  Floating(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        parts_(instruction.type() == Type::f32x2 ? 2 : 1),
        element_(parts_ == 2 ? "float" : element_of(instruction.types.front())),
        flush_(instruction.has(Modifier::ftz)),
        rounding_(rounding_of(instruction)) {}

  // Carries out `compute`, which ends in result(), for each number that a register has.
  using Computation = void (Floating::*)();
  void each(Computation compute) {
    for (part_ = 0; part_ < parts_; ++part_) (this->*compute)();
    if (parts_ == 2) writer_.write_result(instruction_, pair_);
  }

  Value operand(std::size_t i) {
    const Value value = number(i);
    return flush_ ? flush_subnormals(ir_, value) : value;
  }

  void result(Value value) {
    if (flush_) value = flush_subnormals(ir_, value);
    if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
    if (parts_ == 2) return put(value);
    writer_.write_result(instruction_, value);
  }

  void add() { add_or_subtract(false); }
  void subtract() { add_or_subtract(true); }
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
    const Value exponent = writer_.read(instruction_.operands.at(1), element_, lanes_);
    writer_.write_result(instruction_, power_of_two(ir_, exponent, flush_));
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
    if (instruction_.has(Modifier::xorsign)) {
      return result(signed_extreme(ir_, operand(1), operand(2), maximum, propagates));
    }
    result(float_extreme(ir_, operand(1), operand(2), maximum, propagates));
  }
  // .abs without .xorsign is of three operands' magnitudes.
  void extreme_of_three(bool maximum) {
    const bool propagates = instruction_.has(Modifier::NaN);
    const auto source = [&](std::size_t i) {
      Value value = operand(i);
      if (!instruction_.has(Modifier::abs)) return value;
      return ir_.intrinsic("fabs", {value}, element_, lanes_);
    };
    const Value of_two = float_extreme(ir_, source(1), source(2), maximum, propagates);
    result(float_extreme(ir_, of_two, source(3), maximum, propagates));
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

  // An operand's number, or of a pair the part's.
  Value number(std::size_t i) {
    const ptx::Operand& operand = instruction_.operands.at(i);
    if (parts_ == 2) {
      const Value pair = writer_.read(operand, "i64", lanes_);
      return ir_.bitcast(ir_.resize(ir_.binary("lshr", pair, shift()), "i32", false), element_);
    }
    // Of two types the second is that of the terms before the last, or of the factors.
    const Type type = instruction_.type();
    const bool half = ptx::is_half(type) && i + 1 < instruction_.operands.size();
    if (half) return half_to_float(ir_, writer_.read(operand, "i16", lanes_), type);
    return writer_.read(operand, element_, lanes_);
  }
  void put(const Value& value) {
    const Value nan = ir_.compare("fcmp uno", value, value);
    const Value bits = ir_.bitcast(ir_.select(nan, constant(kCanonicalNanFloat), value), "i32");
    const Value whole = ir_.binary("shl", ir_.resize(bits, "i64", false), shift());
    pair_ = part_ == 0 ? whole : ir_.binary("or", pair_, whole);
  }
  [[nodiscard]] std::uint64_t shift() const { return std::uint64_t{32} * part_; }

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
  unsigned parts_;
  unsigned part_ = 0;
  Value pair_;  // i64: what has been computed of it
  std::string element_;
  bool flush_;
  Rounding rounding_;
};

// What only sm_100 and later have asks for registers of its types.
void require_form(const Writer& writer, const Instruction& instruction) {
  const Type type = instruction.type();
  const bool sum = instruction.opcode != ptx::Opcode::fma;
  if (type == Type::f32x2) {
    if (sum) return require_operands(writer, instruction, {type, type, type});
    return require_operands(writer, instruction, {type, type, type, type});
  }
  if (instruction.types.size() == 1) return;
  if (sum) return require_operands(writer, instruction, {Type::f32, type, Type::f32});
  require_operands(writer, instruction, {Type::f32, type, type, Type::f32});
}

// Of two operands, or of three, which only f32 has.
void find_extreme(Writer& writer, const Instruction& instruction, bool maximum) {
  constexpr Type kType = Type::f32;
  if (instruction.type() == kType && instruction.operands.size() == 4) {
    if (instruction.has(Modifier::xorsign)) unsupported(instruction, "'.xorsign' is of two");
    require_operands(writer, instruction, {kType, kType, kType, kType});
    return Floating(writer, instruction).extreme_of_three(maximum);
  }
  if (instruction.has(Modifier::abs) && !instruction.has(Modifier::xorsign)) {
    unsupported(instruction, "'.abs' goes with '.xorsign' or with three operands");
  }
  Floating(writer, instruction).extreme(maximum);
}

}  // namespace

void add_floats(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction);
  Floating(writer, instruction).each(&Floating::add);
}
void sub_floats(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction);
  Floating(writer, instruction).each(&Floating::subtract);
}
void mul_floats(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction);
  Floating(writer, instruction).each(&Floating::multiply);
}
void div_floats(Writer& writer, const Instruction& instruction) {
  Floating(writer, instruction).divide();
}
void fma_floats(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction);
  Floating(writer, instruction).each(&Floating::multiply_add);
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
  find_extreme(writer, instruction, false);
}
void max_floats(Writer& writer, const Instruction& instruction) {
  find_extreme(writer, instruction, true);
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
