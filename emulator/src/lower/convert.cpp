// cvt between integers and floating-point types, in every rounding. Formats of 8 bits and less are
// in small_conversion.cpp.
#include "lower/numeric.h"
#include "lower/pack.h"
#include "lower/rounding.h"
#include "lower/small_conversion.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;

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
    const std::size_t sources = ptx::is_half_pair(to_) ? 2 : 1;
    if (instruction_.operands.size() != sources + 1) {
      unsupported(instruction_, "it has another number of operands");
    }
    if (ptx::is_half_pair(to_)) return pack_pair();
    if (to_ == Type::tf32) return to_tf32();
    if (instruction_.has(Modifier::rna)) unsupported(instruction_);
    for (const Type type : {to_, from_}) {
      const bool known =
          !ptx::is_float(type) || ptx::is_half(type) || type == Type::f32 || type == Type::f64;
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
    if (ptx::is_half(from_)) value = half_to_float(ir_, value, from_);
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

  // Limits an integer to the range of the destination, where that is not a superset.
  Value clamp(Value value) {
    const unsigned from_bits = ptx::bits(from_);
    const unsigned to_bits = ptx::bits(to_);
    const bool from_signed = ptx::is_signed(from_);
    const bool to_signed = ptx::is_signed(to_);
    const unsigned magnitude = to_signed ? to_bits - 1 : to_bits;
    const unsigned from_magnitude = from_signed ? from_bits - 1 : from_bits;
    if (magnitude >= from_magnitude && (to_signed || !from_signed)) {
      unsupported(instruction_, "'.sat' with nothing to clamp is not");
    }
    if (from_signed && !to_signed) {
      value = ir_.select(ir_.compare("icmp slt", value, 0), constant(0), value);
    }
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

  // Out of range clamps, always. NaN becomes 0, except that a 64-bit source or result gives the
  // number of which only the highest bit is set.
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
    if (ptx::bits(to_) == 64 || from_ == Type::f64) {
      const Value nan = ir_.compare("fcmp uno", value, value);
      const std::uint64_t highest = std::uint64_t{1} << (ptx::bits(to_) - 1);
      integer = ir_.select(nan, Ir::constant(highest, element, lanes_), integer);
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
    const bool from_signed = ptx::is_signed(from_);
    const Rounding rounding = rounding_of(instruction_);
    const auto exact = [&] { return exact_integer(ir_, source(), from_signed); };
    Value value;
    if (ptx::is_half(to_)) {
      value = odd_float(ir_, rounded_to_odd(ir_, exact()));
    } else if (rounding == Rounding::nearest) {
      value = ir_.cast(from_signed ? "sitofp" : "uitofp", source(), element_of(to_));
    } else if (to_ == Type::f64) {
      value = round_double(ir_, exact(), rounding);
    } else {
      value = narrow_to_float(ir_, rounded_to_odd(ir_, exact()), rounding);
    }
    if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
    result(ptx::is_half(to_) ? half_of(value, to_) : value);
  }

  void float_to_float() {
    const Value value = clamped(whole(float_source()));
    if (ptx::is_half(to_)) return result(half_of(one_size_down(value), to_));
    if (element_of(to_) == value.element) return result(flushed(value));
    if (to_ == Type::f64) return result(ir_.cast("fpext", value, "double"));
    result(flushed(narrow_to_float(ir_, value, rounding_of(instruction_))));
  }

  // .relu and .sat. Rounding keeps the order of numbers, so that it may as well come behind.
  Value clamped(Value value) {
    if (instruction_.has(Modifier::relu)) {
      value = float_extreme(ir_, value, ir_.float_constant(0, value.element, lanes_), true, true);
    }
    return instruction_.has(Modifier::sat) ? saturate(ir_, value) : value;
  }
  Value flushed(const Value& value) {
    const bool flushes = to_ == Type::f32 && instruction_.has(Modifier::ftz);
    return flushes ? flush_subnormals(ir_, value) : value;
  }
  Value one_size_down(const Value& value) {
    return value.element == "double" ? odd_float(ir_, value) : value;
  }

  Value half_of(const Value& value, Type type) {
    Value bits = narrow_to_half(ir_, value, type, rounding_of(instruction_));
    if (!instruction_.has(Modifier::satfinite)) return bits;
    // Infinity, whatever it came from, becomes the largest finite value, one less in the bits.
    const std::uint64_t infinity = type == Type::f16 ? 0x7c00 : 0x7f80;
    const Value infinite = ir_.compare("icmp eq", ir_.binary("and", bits, 0x7fff), infinity);
    return ir_.select(infinite, ir_.binary("sub", bits, 1), bits);
  }

  // cvt.rn.bf16x2.f32 d, a, b: a to the upper half, b to the lower.
  void pack_pair() {
    const Type part = to_ == Type::bf16x2 ? Type::bf16 : Type::f16;
    const auto half = [&](std::size_t operand) {
      return ir_.resize(half_of(clamped(float_source(operand)), part), "i32", false);
    };
    const Value high = half(1);
    const Value low = half(2);
    result(ir_.binary("or", ir_.binary("shl", high, 16), low));
  }

  // A float whose last 13 bits are zero.
  void to_tf32() {
    const Value value = clamped(float_source());
    const Value bits = ir_.bitcast(value, "i32");
    Value rounded = bits;
    if (instruction_.has(Modifier::rna)) {
      rounded = ir_.binary("add", bits, 0x1000);
    } else if (rounding_of(instruction_) == Rounding::nearest) {
      const Value odd = ir_.binary("and", ir_.binary("lshr", bits, 13), 1);
      rounded = ir_.binary("add", bits, ir_.binary("add", odd, 0xfff));
    }
    rounded = ir_.binary("and", rounded, 0xffffe000);
    if (instruction_.has(Modifier::satfinite)) {
      const Value infinite =
          ir_.compare("icmp eq", ir_.binary("and", rounded, 0x7fffffff), 0x7f800000);
      rounded = ir_.select(infinite, ir_.binary("sub", rounded, 0x2000), rounded);
    }
    const Value nan = ir_.compare("fcmp uno", value, value);
    result(ir_.select(nan, Ir::constant(0x7fffffff, "i32", lanes_), rounded));
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  Type to_;
  Type from_;
};

}  // namespace

void lower_cvt(Writer& writer, const Instruction& instruction) {
  if (instruction.has(Modifier::pack)) return convert_packed(writer, instruction);
  if (is_small_conversion(instruction)) return convert_small(writer, instruction);
  Conversion(writer, instruction).run();
}

}  // namespace emulator::lower
