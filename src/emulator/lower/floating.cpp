// Arithmetic on f32 and f64. Rounding is to nearest even; the directed roundings are not supported.
// Approximate functions are computed to the accuracy of the host's, which is better than PTX asks
// for.
#include "emulator/lower/numeric.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

class Floating {
 public:
  Floating(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        element_(element_of(instruction.type())),
        flush_(instruction.has(Modifier::ftz)) {
    for (const Modifier rounding : {Modifier::rz, Modifier::rm, Modifier::rp}) {
      if (instruction.has(rounding)) unsupported(instruction, "only rounding to nearest even is");
    }
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

  void binary(const std::string& operation) {
    result(ir_.binary(operation, operand(1), operand(2)));
  }
  void unary(const std::string& intrinsic) {
    result(ir_.intrinsic(intrinsic, {operand(1)}, element_, lanes_));
  }
  void multiply_add() {
    result(ir_.intrinsic("fma", {operand(1), operand(2), operand(3)}, element_, lanes_));
  }
  void reciprocal() { result(ir_.binary("fdiv", one(), operand(1))); }
  void reciprocal_root() {
    result(ir_.binary("fdiv", one(), ir_.intrinsic("sqrt", {operand(1)}, element_, lanes_)));
  }
  void negate() {
    const Value a = operand(1);
    result(ir_.define("fneg " + a.typed(), element_, lanes_));
  }
  // copysign d, a, b: b with the sign of a.
  void copy_sign() {
    result(ir_.intrinsic("copysign", {operand(2), operand(1)}, element_, lanes_));
  }
  void extreme(bool maximum) {
    if (instruction_.has(Modifier::xorsign)) unsupported(instruction_);
    Value value =
        float_extreme(ir_, operand(1), operand(2), maximum, instruction_.has(Modifier::NaN));
    if (instruction_.operands.size() > 3) {
      value = float_extreme(ir_, value, operand(3), maximum, instruction_.has(Modifier::NaN));
    }
    result(value);
  }

  // tanh(x) = 1 - 2 / (exp(2x) + 1), which keeps its relative error small except near 0, where x -
  // x^3/3 is used.
  void hyperbolic_tangent() {
    const Value x = operand(1);
    constexpr std::uint64_t kTwoLog2E = 0x4038aa3b;  // 2 / ln 2
    constexpr std::uint64_t kThird = 0x3eaaaaab;     // 1 / 3
    constexpr std::uint64_t kSmall =
        0x3d000000;  // 2^-5: the cubic's error is below 2^-21 of the result there
    const Value grown =
        ir_.intrinsic("exp2", {ir_.binary("fmul", x, constant(kTwoLog2E))}, element_, lanes_);
    const Value large = ir_.binary(
        "fsub", one(), ir_.binary("fdiv", constant(0x40000000), ir_.binary("fadd", grown, one())));
    const Value cubic =
        ir_.binary("fmul", ir_.binary("fmul", x, x), ir_.binary("fmul", x, constant(kThird)));
    const Value magnitude = ir_.intrinsic("fabs", {x}, element_, lanes_);
    const Value small = ir_.compare("fcmp olt", magnitude, constant(kSmall));
    result(ir_.select(small, ir_.binary("fsub", x, cubic), large));
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
      holds = both(ir_.compare("icmp uge", m, smallest), ir_.compare("icmp ult", m, infinity));
    } else if (instruction_.has(Modifier::subnormal)) {
      holds = both(ir_.compare("icmp ult", m, smallest), ir_.compare("icmp ne", m, 0));
    } else {
      unsupported(instruction_);
    }
    writer_.write_result(instruction_, holds);
  }

 private:
  Value constant(std::uint64_t bits) { return ir_.float_constant(bits, element_, lanes_); }
  Value one() { return constant(element_ == "double" ? 0x3ff0000000000000 : 0x3f800000); }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  std::string element_;
  bool flush_;
};

}  // namespace

bool lower_floating(Writer& writer, const Instruction& instruction) {
  if (instruction.type() != Type::f32 && instruction.type() != Type::f64) return false;
  const auto with = [&] { return Floating(writer, instruction); };
  switch (instruction.opcode) {
    case Opcode::add:
      with().binary("fadd");
      return true;
    case Opcode::sub:
      with().binary("fsub");
      return true;
    case Opcode::mul:
      with().binary("fmul");
      return true;
    case Opcode::div:
      with().binary("fdiv");
      return true;
    case Opcode::fma:
    case Opcode::mad:
      with().multiply_add();
      return true;
    case Opcode::rcp:
      with().reciprocal();
      return true;
    case Opcode::sqrt:
      with().unary("sqrt");
      return true;
    case Opcode::rsqrt:
      with().reciprocal_root();
      return true;
    case Opcode::sin:
      with().unary("sin");
      return true;
    case Opcode::cos:
      with().unary("cos");
      return true;
    case Opcode::lg2:
      with().unary("log2");
      return true;
    case Opcode::ex2:
      with().unary("exp2");
      return true;
    case Opcode::tanh:
      with().hyperbolic_tangent();
      return true;
    case Opcode::abs:
      with().unary("fabs");
      return true;
    case Opcode::neg:
      with().negate();
      return true;
    case Opcode::copysign:
      with().copy_sign();
      return true;
    case Opcode::min:
    case Opcode::max:
      with().extreme(instruction.opcode == Opcode::max);
      return true;
    case Opcode::testp:
      with().test_property();
      return true;
    default:
      return false;
  }
}

}  // namespace emulator::lower
