// setp and set.
#include "emulator/lower/numeric.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

// LLVM's predicate for the comparison, "icmp slt" or "fcmp ult"; empty where the instruction names
// none.
std::string predicate_of(const Instruction& instruction, Type type) {
  const bool is_float = ptx::is_float(type);
  struct Row {
    Modifier modifier;
    const char* ordered;  // floats
    const char* for_signed;
    const char* for_unsigned;
  };
  static constexpr Row kRows[] = {
      {Modifier::eq, "oeq", "eq", "eq"},   {Modifier::ne, "one", "ne", "ne"},
      {Modifier::lt, "olt", "slt", "ult"}, {Modifier::le, "ole", "sle", "ule"},
      {Modifier::gt, "ogt", "sgt", "ugt"}, {Modifier::ge, "oge", "sge", "uge"},
      {Modifier::lo, "olt", "ult", "ult"}, {Modifier::ls, "ole", "ule", "ule"},
      {Modifier::hi, "ogt", "ugt", "ugt"}, {Modifier::hs, "oge", "uge", "uge"},
      {Modifier::equ, "ueq", "", ""},      {Modifier::neu, "une", "", ""},
      {Modifier::ltu, "ult", "", ""},      {Modifier::leu, "ule", "", ""},
      {Modifier::gtu, "ugt", "", ""},      {Modifier::geu, "uge", "", ""},
      {Modifier::num, "ord", "", ""},      {Modifier::nan, "uno", "", ""},
  };
  for (const Row& row : kRows) {
    if (!instruction.has(row.modifier)) continue;
    const std::string name =
        is_float ? row.ordered : (ptx::is_signed(type) ? row.for_signed : row.for_unsigned);
    return name.empty() ? name : (is_float ? "fcmp " : "icmp ") + name;
  }
  return "";
}

Value compared(Writer& writer, const Instruction& instruction, Type type, unsigned lanes) {
  const std::string predicate = predicate_of(instruction, type);
  if (predicate.empty()) unsupported(instruction);
  const bool is_half = type == Type::f16 || type == Type::bf16;
  const auto operand = [&](std::size_t i) {
    Value value = writer.read(instruction.operands.at(i), element_of(type), lanes);
    if (is_half) value = half_to_float(writer.ir, value, type);
    if (type == Type::f32 && instruction.has(Modifier::ftz))
      value = flush_subnormals(writer.ir, value);
    return value;
  };
  const Value a = operand(1);
  const Value b = operand(2);
  return writer.ir.compare(predicate, a, b);
}

// The Boolean operation of setp.lt.and: combines the comparison with operand 3, whose negation the
// operand carries.
Value combined(Writer& writer, const Instruction& instruction, const Value& comparison,
               unsigned lanes) {
  if (instruction.operands.size() < 4) return comparison;
  const Value other = writer.read(instruction.operands[3], "i1", lanes);
  if (instruction.has(Modifier::and_)) return writer.ir.binary("and", comparison, other);
  if (instruction.has(Modifier::or_)) return writer.ir.binary("or", comparison, other);
  if (instruction.has(Modifier::xor_)) return writer.ir.binary("xor", comparison, other);
  unsupported(instruction);
}

}  // namespace

bool lower_compare(Writer& writer, const Instruction& instruction) {
  if (instruction.opcode != Opcode::setp && instruction.opcode != Opcode::set) return false;
  const Type type = instruction.type();
  if (type == Type::f16x2 || type == Type::bf16x2) unsupported(instruction);
  const unsigned lanes = writer.lanes_of(instruction);
  const Value comparison = compared(writer, instruction, type, lanes);
  const Value result = combined(writer, instruction, comparison, lanes);
  if (instruction.opcode == Opcode::setp) {
    if (const auto* pair = std::get_if<ptx::Pair>(&instruction.operands[0].value)) {
      const Form form = writer.result(instruction);
      writer.write(pair->both.at(0), result, form);
      const Value opposite = writer.ir.binary("xor", comparison, 1);
      writer.write(pair->both.at(1), combined(writer, instruction, opposite, lanes), form);
    } else {
      writer.write_result(instruction, result);
    }
    return true;
  }
  const Type to = instruction.types.at(0);
  if (ptx::is_float(to)) {
    if (to != Type::f32) unsupported(instruction);
    const Value one = writer.ir.float_constant(0x3f800000, "float", lanes);
    writer.write_result(instruction,
                        writer.ir.select(result, one, writer.ir.float_constant(0, "float", lanes)));
  } else {
    writer.write_result(instruction, writer.ir.resize(result, integer_of(to), true));
  }
  return true;
}

}  // namespace emulator::lower
