// setp and set.
#include "lower/numeric.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
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

Type part_of(Type type) {
  if (type == Type::f16x2) return Type::f16;
  return type == Type::bf16x2 ? Type::bf16 : type;
}

// Part `part` of an operand as what is compared: 16-bit floats as float.
Value source(Writer& writer, const Instruction& instruction, std::size_t operand, unsigned part,
             unsigned lanes) {
  Ir& ir = writer.ir;
  const Type type = instruction.type();
  const bool flushes = instruction.has(Modifier::ftz);
  Value value = writer.read(instruction.operands.at(operand), element_of(type), lanes);
  if (ptx::is_half_pair(type))
    value = ir.resize(ir.binary("lshr", value, std::uint64_t{16} * part), "i16", false);
  const Type single = part_of(type);
  if (ptx::is_half(single)) {
    if (flushes) value = flush_half(ir, value, single);
    return half_to_float(ir, value, single);
  }
  return type == Type::f32 && flushes ? flush_subnormals(ir, value) : value;
}

Value compared(Writer& writer, const Instruction& instruction, unsigned part, unsigned lanes) {
  const std::string predicate = predicate_of(instruction, instruction.type());
  if (predicate.empty()) unsupported(instruction);
  const Value a = source(writer, instruction, 1, part, lanes);
  return writer.ir.compare(predicate, a, source(writer, instruction, 2, part, lanes));
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

// p|q are the comparison and its opposite, or the comparisons of the two halves.
void set_predicates(Writer& writer, const Instruction& instruction) {
  const unsigned lanes = writer.lanes_of(instruction);
  const LaneValues lane_values = writer.result(instruction);
  const Value comparison = compared(writer, instruction, 0, lanes);
  const Value result = combined(writer, instruction, comparison, lanes);
  const bool halves = ptx::is_half_pair(instruction.type());
  const auto* pair = std::get_if<ptx::Pair>(&instruction.operands[0].value);
  if (pair == nullptr) {
    if (halves) unsupported(instruction);
    return writer.write_result(instruction, result);
  }
  if (ptx::is_half(instruction.type())) unsupported(instruction, "a second predicate is not");
  const Value other =
      halves ? compared(writer, instruction, 1, lanes) : writer.ir.binary("xor", comparison, 1);
  writer.write(pair->both.at(0), result, lane_values);
  writer.write(pair->both.at(1), combined(writer, instruction, other, lanes), lane_values);
}

// What set gives where the comparison holds, in the destination's bits; 0 where it does not.
std::uint64_t truth(const Instruction& instruction) {
  switch (instruction.types.at(0)) {
    case Type::f32:
      return 0x3f800000;
    case Type::f16:
    case Type::f16x2:
      return 0x3c00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3f80;
    case Type::u16:
    case Type::s16:
      return 0xffff;
    case Type::u32:
    case Type::s32:
      return ptx::is_half_pair(instruction.type()) ? 0xffff : 0xffffffff;
    default:
      unsupported(instruction);
  }
}

void set_number(Writer& writer, const Instruction& instruction) {
  Ir& ir = writer.ir;
  const unsigned lanes = writer.lanes_of(instruction);
  const Type to = instruction.types.at(0);
  const bool halves = ptx::is_half_pair(instruction.type());
  if (ptx::is_half_pair(to) && !halves) unsupported(instruction);
  if (to == Type::f16 && instruction.type() == Type::bf16) unsupported(instruction);
  if (halves && ptx::bits(to) != 32) unsupported(instruction);
  const std::string element = integer_of(to);
  const Value yes = Ir::constant(truth(instruction), element, lanes);
  const Value no = Ir::constant(0, element, lanes);
  Value number = no;
  for (unsigned part = 0; part < (halves ? 2U : 1U); ++part) {
    const Value holds =
        combined(writer, instruction, compared(writer, instruction, part, lanes), lanes);
    number = ir.binary("or", number,
                       ir.binary("shl", ir.select(holds, yes, no), std::uint64_t{16} * part));
  }
  writer.write_result(instruction, ir.bitcast(number, element_of(to)), ptx::is_signed(to));
}

}  // namespace

void lower_setp(Writer& writer, const Instruction& instruction) {
  set_predicates(writer, instruction);
}
void lower_set(Writer& writer, const Instruction& instruction) { set_number(writer, instruction); }

}  // namespace emulator::lower
