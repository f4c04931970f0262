// Arithmetic on f16 and bf16, single and packed in pairs. Each operation is computed in fp32 and
// rounded once; products of two 16-bit floats are exact there.
#include "emulator/lower/numeric.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

class Half {
 public:
  Half(Writer& writer, const Instruction& instruction)
      : writer_(writer),
        ir_(writer.ir),
        instruction_(instruction),
        lanes_(writer.lanes_of(instruction)) {
    switch (instruction.type()) {
      case Type::f16x2:
        part_ = Type::f16;
        parts_ = 2;
        break;
      case Type::bf16x2:
        part_ = Type::bf16;
        parts_ = 2;
        break;
      default:
        part_ = instruction.type();
    }
    for (const Modifier m : {Modifier::rz, Modifier::rm, Modifier::rp, Modifier::xorsign}) {
      if (instruction.has(m)) unsupported(instruction);
    }
  }

  // Applies `compute` to the fp32 values of each part and packs the rounded results.
  template <typename Compute>
  void each(Compute compute) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    Value packed = Ir::constant(0, whole, lanes_);
    for (unsigned part = 0; part < parts_; ++part) {
      std::vector<Value> sources;
      for (std::size_t i = 1; i < instruction_.operands.size(); ++i)
        sources.push_back(source(i, part));
      Value value = compute(sources);
      if (instruction_.has(Modifier::sat)) value = saturate(ir_, value);
      if (instruction_.has(Modifier::relu)) {
        value = float_extreme(ir_, value, ir_.float_constant(0, "float", lanes_), true, true);
      }
      const Value bits = ir_.resize(float_to_half(ir_, value, part_), whole, false);
      packed = ir_.binary("or", packed, ir_.binary("shl", bits, std::uint64_t{16} * part));
    }
    writer_.write_result(instruction_, packed);
  }

  // Sign operations work on the bits, so that NaN payloads stay.
  void signs(const std::string& operation, std::uint64_t mask) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    if (parts_ == 2) mask |= mask << 16;
    writer_.write_result(
        instruction_,
        ir_.binary(operation, writer_.read(instruction_.operands.at(1), whole, lanes_), mask));
  }

  Ir& ir() { return ir_; }
  [[nodiscard]] unsigned lanes() const { return lanes_; }

 private:
  Value source(std::size_t operand, unsigned part) {
    const std::string whole = parts_ == 2 ? "i32" : "i16";
    Value bits = writer_.read(instruction_.operands.at(operand), whole, lanes_);
    if (parts_ == 2)
      bits = ir_.resize(ir_.binary("lshr", bits, std::uint64_t{16} * part), "i16", false);
    const Value value = half_to_float(ir_, bits, part_);
    return value;
  }

  Writer& writer_;
  Ir& ir_;
  const Instruction& instruction_;
  unsigned lanes_;
  Type part_ = Type::f16;
  unsigned parts_ = 1;
};

}  // namespace

bool lower_half(Writer& writer, const Instruction& instruction) {
  switch (instruction.type()) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
      break;
    default:
      return false;
  }
  using Sources = std::vector<Value>;
  const auto arithmetic = [&](const std::string& operation) {
    Half half(writer, instruction);
    half.each([&](const Sources& s) { return half.ir().binary(operation, s[0], s[1]); });
  };
  const auto function = [&](const std::string& name) {
    Half half(writer, instruction);
    half.each(
        [&](const Sources& s) { return half.ir().intrinsic(name, s, "float", half.lanes()); });
  };
  switch (instruction.opcode) {
    case Opcode::add:
      arithmetic("fadd");
      return true;
    case Opcode::sub:
      arithmetic("fsub");
      return true;
    case Opcode::mul:
      arithmetic("fmul");
      return true;
    case Opcode::fma:
      function("fma");
      return true;
    case Opcode::ex2:
      function("exp2");
      return true;
    case Opcode::min:
    case Opcode::max: {
      Half half(writer, instruction);
      half.each([&](const Sources& s) {
        return float_extreme(half.ir(), s[0], s[1], instruction.opcode == Opcode::max,
                             instruction.has(Modifier::NaN));
      });
      return true;
    }
    case Opcode::neg:
      Half(writer, instruction).signs("xor", 0x8000);
      return true;
    case Opcode::abs:
      Half(writer, instruction).signs("and", 0x7fff);
      return true;
    default:
      return false;
  }
}

}  // namespace emulator::lower
