// atom and red: read-modify-write, lane by lane, written out (inline_atomic.h) or in the runtime.
#include "lower/atomic.h"

#include "lower/access_form.h"
#include "lower/address.h"
#include "lower/inline_atomic.h"
#include "lower/mbarrier.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Type;
using runtime::AtomicOp;
using runtime::AtomicType;

}  // namespace

AtomicOp atomic_operation(const Instruction& instruction) {
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

AtomicType atomic_type(const Instruction& instruction) {
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

namespace {

// Which operation goes with which type; what PTX does not have would be a guess.
void require_pairing(const Instruction& instruction, AtomicOp operation) {
  const Type type = instruction.type();
  const bool is_float = ptx::is_float(type);
  const unsigned bits = ptx::bits(type);
  bool known = false;
  switch (operation) {
    case AtomicOp::add:
      known = is_float || type == Type::u32 || type == Type::s32 || type == Type::u64 ||
              type == Type::s64;
      break;
    case AtomicOp::min:
    case AtomicOp::max:
      known = type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64 ||
              (is_float && instruction.vector_width > 1 && type != Type::f32);
      break;
    case AtomicOp::inc:
    case AtomicOp::dec:
      known = type == Type::u32;
      break;
    case AtomicOp::and_:
    case AtomicOp::or_:
    case AtomicOp::xor_:
      known = !is_float && (bits == 32 || bits == 64);
      break;
    case AtomicOp::exch:
      known = !is_float && bits >= 32;
      break;
    case AtomicOp::cas:
      known = !is_float && bits >= 16;
      break;
  }
  if (instruction.vector_width > 1) known = known && is_float && type != Type::f64;
  if (bits * instruction.vector_width > 128) known = false;
  if (!known) unsupported(instruction);
}

// Whether what was in memory before is the result.
enum class Old : std::uint8_t { wanted, dropped };

// The vector forms act on each element by itself; all of a lane's elements travel as one integer.
void lower_operation(Writer& writer, const Instruction& instruction, Old old_value) {
  Ir& ir = writer.ir;
  const AtomicOp operation = atomic_operation(instruction);
  const AtomicType type = atomic_type(instruction);
  require_pairing(instruction, operation);
  const std::size_t first = instruction.opcode == ptx::Opcode::atom ? 1 : 0;
  const unsigned bits = ptx::bits(instruction.type());
  const unsigned count = instruction.vector_width;
  const std::string element = "i" + std::to_string(bits);
  const std::string whole = "i" + std::to_string(bits * count);
  const auto operand = [&](std::size_t i) {
    const ptx::Operand& source = instruction.operands.at(i);
    const auto* vector = std::get_if<ptx::Vector>(&source.value);
    if ((vector != nullptr) != (count > 1)) unsupported(instruction);
    if (vector == nullptr) return writer.read_bits(source, instruction.type(), kLanes);
    if (vector->elements.size() != count) unsupported(instruction);
    Value packed = Ir::constant(0, whole, kLanes);
    for (unsigned e = 0; e < count; ++e) {
      const Value part = writer.read_bits(vector->elements[e], instruction.type(), kLanes);
      packed = ir.binary("or", packed,
                         ir.binary("shl", ir.resize(part, whole, false), std::uint64_t{bits} * e));
    }
    return packed;
  };

  AccessAddress address(writer, instruction.operands.at(first), instruction.space);
  const std::uint32_t site =
      writer.add_site(instruction, runtime::AccessKind::atomic, instruction.space, bits / 8, count);
  const Value addresses = address.lanes();
  ir.store(addresses, writer.address_area(), 64);
  ir.store(operand(first + 1), writer.value_area(0), 64);
  if (operation == AtomicOp::cas) {
    // PTX: d = (a == b) ? c : a. The runtime takes what to compare with first, what to swap in
    // second.
    ir.store(operand(first + 2), writer.value_area(1), 64);
  }
  if (InlineAtomic::Form form{operation, type, old_value == Old::wanted};
      InlineAtomic::suits(writer, instruction, form)) {
    InlineAtomic(writer, instruction, form).write(address, addresses, site);
  } else {
    writer.call("emu_atomic", {Ir::constant(site, "i32", 1), writer.mask(),
                               Ir::constant(static_cast<std::uint64_t>(operation), "i32", 1),
                               Ir::constant(static_cast<std::uint64_t>(type), "i32", 1)});
  }
  if (old_value == Old::dropped) return;
  const Value old = ir.load(writer.value_area(2), whole, kLanes, 64);
  const ptx::Operand& destination = instruction.operands.at(0);
  const auto* vector = std::get_if<ptx::Vector>(&destination.value);
  if (vector == nullptr) return writer.write_result(instruction, old);
  if (vector->elements.size() != count) unsupported(instruction);
  for (unsigned e = 0; e < count; ++e) {
    const Value part = ir.resize(ir.binary("lshr", old, std::uint64_t{bits} * e), element, false);
    writer.write(vector->elements[e], part, LaneValues::any());
  }
}

}  // namespace

void lower_atom(Writer& writer, const Instruction& instruction) {
  // Compilers write atom also where nobody wants to know.
  const bool wanted = writer.reads_result(instruction);
  lower_operation(writer, instruction, wanted ? Old::wanted : Old::dropped);
}
void lower_red(Writer& writer, const Instruction& instruction) {
  const bool async = instruction.has(ptx::Modifier::async);
  const bool at_mbarrier = async && completion_of(instruction) == Completion::at_mbarrier;
  if (at_mbarrier && !requires_cluster(writer, instruction)) return;
  if (async && !at_mbarrier) writer.ir.line("fence release");
  lower_operation(writer, instruction, Old::dropped);
  if (at_mbarrier) {
    complete_transaction(writer, instruction, instruction.operands.at(2),
                         Ir::constant(ptx::bits(instruction.type()) / 8, "i32", kLanes));
  }
}

}  // namespace emulator::lower
