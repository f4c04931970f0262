// atom and red: read-modify-write, lane by lane, in the runtime.
#include "emulator/lower/address.h"
#include "emulator/lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using runtime::AtomicOp;
using runtime::AtomicType;

AtomicOp operation_of(const Instruction& instruction) {
  struct Row {
    Modifier modifier;
    AtomicOp operation;
  };
  static constexpr Row kRows[] = {
      {Modifier::add, AtomicOp::add},   {Modifier::min, AtomicOp::min},
      {Modifier::max, AtomicOp::max},   {Modifier::inc, AtomicOp::inc},
      {Modifier::dec, AtomicOp::dec},   {Modifier::and_, AtomicOp::and_},
      {Modifier::or_, AtomicOp::or_},   {Modifier::xor_, AtomicOp::xor_},
      {Modifier::exch, AtomicOp::exch}, {Modifier::cas, AtomicOp::cas},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) return row.operation;
  }
  unsupported(instruction);
}

AtomicType type_of_atomic(const Instruction& instruction) {
  switch (instruction.type()) {
    case Type::b32:
    case Type::u32:
      return AtomicType::u32;
    case Type::s32:
      return AtomicType::s32;
    case Type::b64:
    case Type::u64:
      return AtomicType::u64;
    case Type::s64:
      return AtomicType::s64;
    case Type::f32:
      return AtomicType::f32;
    case Type::f64:
      return AtomicType::f64;
    case Type::f16:
      return AtomicType::f16;
    case Type::f16x2:
      return AtomicType::f16x2;
    case Type::bf16:
      return AtomicType::bf16;
    case Type::bf16x2:
      return AtomicType::bf16x2;
    case Type::b16:
      return AtomicType::b16;
    case Type::b128:
      return AtomicType::b128;
    default:
      unsupported(instruction);
  }
}

}  // namespace

bool lower_atomic(Writer& writer, const Instruction& instruction) {
  if (instruction.opcode != Opcode::atom && instruction.opcode != Opcode::red) return false;
  if (instruction.vector_width != 1 || instruction.has(Modifier::async)) unsupported(instruction);
  const AtomicOp operation = operation_of(instruction);
  const AtomicType type = type_of_atomic(instruction);
  const std::size_t first = instruction.opcode == Opcode::atom ? 1 : 0;
  const std::string element = integer_of(instruction.type());

  AccessAddress address(writer, instruction.operands.at(first), instruction.space);
  const std::uint32_t site =
      writer.add_site(instruction, runtime::AccessKind::atomic, instruction.space,
                      ptx::bits(instruction.type()) / 8, 1);
  writer.ir.store(address.lanes(), writer.address_area(), 64);
  writer.ir.store(writer.read(instruction.operands.at(first + 1), element, kLanes),
                  writer.value_area(0), 64);
  if (operation == AtomicOp::cas) {
    // PTX: d = (a == b) ? c : a. The runtime takes what to compare with first, what to swap in
    // second.
    writer.ir.store(writer.read(instruction.operands.at(first + 2), element, kLanes),
                    writer.value_area(1), 64);
  }
  writer.call("emu_atomic", {Ir::constant(site, "i32", 1), writer.mask(),
                             Ir::constant(static_cast<std::uint64_t>(operation), "i32", 1),
                             Ir::constant(static_cast<std::uint64_t>(type), "i32", 1)});
  if (instruction.opcode == Opcode::atom) {
    writer.write_result(instruction, writer.ir.load(writer.value_area(2), element, kLanes, 64));
  }
  return true;
}

}  // namespace emulator::lower
