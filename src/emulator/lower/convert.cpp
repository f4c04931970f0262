// cvt between integers and floating-point types.
#include "emulator/lower/numeric.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

bool is_half(Type type) { return type == Type::f16 || type == Type::bf16; }

class Conversion {
 public:
  Conversion(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)),
        to_(instruction.types.at(0)),
        from_(instruction.types.size() > 1 ? instruction.types[1] : instruction.types[0]) {}

  void run() {
    if (to_ == Type::f16x2 || to_ == Type::bf16x2) return pack_pair();
    for (const Type type : {to_, from_}) {
      const bool known =
          !ptx::is_float(type) || is_half(type) || type == Type::f32 || type == Type::f64;
      if (!known || ptx::bits(type) > 64) unsupported(instruction_);
    }
    const bool to_float = ptx::is_float(to_);
    const bool from_float = ptx::is_float(from_);
    if (!to_float && !from_float) return integer_to_integer();
    if (!to_float) return float_to_integer();
    if (!from_float) return integer_to_float();
    float_to_float();
  }

 private:
  Value source(std::size_t operand = 1) {
    return writer_.read(instruction_.operands.at(operand), element_of(from_), lanes_);
  }
  // The source as float or double; f16 and bf16 as float.
  Value float_source(std::size_t operand = 1) {
    Value value = source(operand);
    if (is_half(from_)) value = half_to_float(ir_, value, from_);
    if (from_ == Type::f32 && instruction_.has(Modifier::ftz)) value = flush_subnormals(ir_, value);
    return value;
  }
  void result(const Value& value) {
    writer_.write_result(instruction_, value, ptx::is_signed(to_));
  }

  void integer_to_integer() {
    Value value = source();
    if (instruction_.has(Modifier::sat)) value = clamp(value);
    result(ir_.resize(value, integer_of(to_), ptx::is_signed(from_)));
  }

  // Limits an integer to the range of the destination.
  Value clamp(Value value) {
    const unsigned from_bits = ptx::bits(from_);
    const unsigned to_bits = ptx::bits(to_);
    const bool from_signed = ptx::is_signed(from_);
    const bool to_signed = ptx::is_signed(to_);
    const unsigned magnitude = to_signed ? to_bits - 1 : to_bits;
    if (from_signed && !to_signed) {
      value = ir_.select(ir_.compare("icmp slt", value, 0), constant(0), value);
    }
    const unsigned from_magnitude = from_signed ? from_bits - 1 : from_bits;
    if (magnitude < from_magnitude) {
      const Value high = constant((std::uint64_t{1} << magnitude) - 1);
      value =
          ir_.select(ir_.compare(from_signed ? "icmp sgt" : "icmp ugt", value, high), high, value);
      if (from_signed && to_signed) {
        const Value low = constant(~((std::uint64_t{1} << magnitude) - 1));
        value = ir_.select(ir_.compare("icmp slt", value, low), low, value);
      }
    }
    return value;
  }
  [[nodiscard]] Value constant(std::uint64_t v) const {
    return Ir::constant(v, integer_of(from_), lanes_);
  }

  // The rounding to a whole number that the modifiers ask for; PTX has no default.
  Value whole(const Value& value) {
    const char* function = nullptr;
    if (instruction_.has(Modifier::rni)) function = "roundeven";
    if (instruction_.has(Modifier::rzi)) function = "trunc";
    if (instruction_.has(Modifier::rmi)) function = "floor";
    if (instruction_.has(Modifier::rpi)) function = "ceil";
    return function == nullptr ? value : ir_.intrinsic(function, {value}, value.element, lanes_);
  }

  // Out of range clamps, always; NaN becomes 0 for 32-bit and narrower results and, on NVIDIA
  // hardware, the smallest (signed) or largest value for 64-bit ones: 0x8000000000000000 in both
  // cases.
  void float_to_integer() {
    const Value value = whole(float_source());
    const std::string element = integer_of(to_);
    const bool is_signed = ptx::is_signed(to_);
    const std::string name = std::string(is_signed ? "fptosi" : "fptoui") + ".sat";
    const std::string suffix = type_suffix(value);
    ir_.declare("declare " + type_of(element, lanes_) + " @llvm." + name + "." +
                suffix_of(element) + "." + suffix + "(" + value.type() + ")");
    Value integer = ir_.define("call " + type_of(element, lanes_) + " @llvm." + name + "." +
                                   suffix_of(element) + "." + suffix + "(" + value.typed() + ")",
                               element, lanes_);
    if (ptx::bits(to_) == 64) {
      const Value nan = ir_.compare("fcmp uno", value, value);
      integer = ir_.select(nan, Ir::constant(0x8000000000000000, element, lanes_), integer);
    }
    result(integer);
  }
  [[nodiscard]] std::string suffix_of(const std::string& element) const {
    return lanes_ == 1 ? element : "v" + std::to_string(lanes_) + element;
  }
  [[nodiscard]] std::string type_suffix(const Value& value) const {
    return suffix_of(value.element == "double" ? "f64" : "f32");
  }

  void integer_to_float() {
    for (const Modifier m : {Modifier::rz, Modifier::rm, Modifier::rp}) {
      if (instruction_.has(m)) unsupported(instruction_, "only rounding to nearest even is");
    }
    const std::string operation = ptx::is_signed(from_) ? "sitofp" : "uitofp";
    if (to_ == Type::f16) {
      const Value half = ir_.cast(operation, source(), "half");
      return result(ir_.bitcast(half, "i16"));
    }
    if (to_ == Type::bf16) {
      if (ptx::bits(from_) > 16) unsupported(instruction_);
      return result(float_to_half(ir_, ir_.cast(operation, source(), "float"), to_));
    }
    Value value = ir_.cast(operation, source(), element_of(to_));
    if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
    result(value);
  }

  void float_to_float() {
    Value value = whole(float_source());
    if (instruction_.has(Modifier::relu)) {
      value = float_extreme(ir_, value, ir_.float_constant(0, value.element, lanes_), true, true);
    }
    if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
    if (is_half(to_)) return result(narrowed(value));
    const std::string element = element_of(to_);
    if (element == "double" && value.element == "float") value = ir_.cast("fpext", value, element);
    if (element == "float" && value.element == "double") {
      refuse_directed_rounding();
      value = ir_.cast("fptrunc", value, element);
    }
    if (to_ == Type::f32 && instruction_.has(Modifier::ftz)) value = flush_subnormals(ir_, value);
    result(value);
  }

  Value narrowed(const Value& value) {
    if (instruction_.has(Modifier::rm) || instruction_.has(Modifier::rp) ||
        instruction_.has(Modifier::rna)) {
      unsupported(instruction_);
    }
    if (value.element == "double") {
      if (to_ != Type::f16 && to_ != Type::f16x2) unsupported(instruction_);
      refuse_directed_rounding();
      return ir_.bitcast(ir_.cast("fptrunc", value, "half"), "i16");
    }
    const Type part = to_ == Type::bf16x2 ? Type::bf16 : (to_ == Type::f16x2 ? Type::f16 : to_);
    return float_to_half(ir_, value, part, instruction_.has(Modifier::rz));
  }
  void refuse_directed_rounding() {
    for (const Modifier m : {Modifier::rz, Modifier::rm, Modifier::rp}) {
      if (instruction_.has(m)) unsupported(instruction_, "only rounding to nearest even is");
    }
  }

  // cvt.rn.bf16x2.f32 d, a, b: a to the upper half, b to the lower.
  void pack_pair() {
    if (from_ != Type::f32) unsupported(instruction_);
    const auto half = [&](std::size_t operand) {
      Value value = float_source(operand);
      if (instruction_.has(Modifier::relu)) {
        value = float_extreme(ir_, value, ir_.float_constant(0, "float", lanes_), true, true);
      }
      return ir_.resize(narrowed(value), "i32", false);
    };
    const Value high = half(1);
    const Value low = half(2);
    result(ir_.binary("or", ir_.binary("shl", high, 16), low));
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  Type to_;
  Type from_;
};

}  // namespace

bool lower_convert(Writer& writer, const Instruction& instruction) {
  if (instruction.opcode != Opcode::cvt) return false;
  Conversion(writer, instruction).run();
  return true;
}

}  // namespace emulator::lower
