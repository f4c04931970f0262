#include "lower/bulk_copy.h"

#include <algorithm>
#include <initializer_list>

#include "lower/address.h"
#include "lower/atomic.h"
#include "lower/mbarrier.h"
#include "lower/operand_types.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;
using ptx::Type;
using runtime::AtomicOp;
using runtime::AtomicType;

bool is_one_of(Type type, std::initializer_list<Type> types) {
  return std::ranges::find(types, type) != types.end();
}

// Which reduction PTX has on which type (PTX ISA, cp.reduce.async.bulk, the table of valid
// combinations).
bool exists(AtomicOp op, Type type, bool to_shared) {
  switch (op) {
    case AtomicOp::add:
      return is_one_of(type, {Type::u32, Type::s32, Type::u64}) ||
             (!to_shared && is_one_of(type, {Type::f32, Type::f64, Type::f16, Type::bf16}));
    case AtomicOp::min:
    case AtomicOp::max:
      return is_one_of(type, {Type::u32, Type::s32}) ||
             (!to_shared && is_one_of(type, {Type::u64, Type::s64, Type::f16, Type::bf16}));
    case AtomicOp::inc:
    case AtomicOp::dec:
      return type == Type::u32;
    case AtomicOp::and_:
    case AtomicOp::or_:
    case AtomicOp::xor_:
      return type == Type::b32 || (!to_shared && type == Type::b64);
    default:
      return false;
  }
}

void reduce(Writer& writer, const Instruction& instruction, std::uint32_t load) {
  const AtomicOp op = atomic_operation(instruction);
  AtomicType type = atomic_type(instruction);
  const bool to_shared = instruction.space == Space::shared;
  const bool is_half = is_one_of(instruction.type(), {Type::f16, Type::bf16});
  const bool keeps_subnormals = op == AtomicOp::add && is_half;
  if (!exists(op, instruction.type(), to_shared) ||
      instruction.has(Modifier::noftz) != keeps_subnormals) {
    unsupported(instruction);
  }
  // PTX ISA, cp.reduce.async.bulk: sums of f32 in global memory flush subnormals.
  if (type == AtomicType::f32) type = AtomicType::f32_flushed;
  const std::uint32_t site =
      writer.add_site(instruction, runtime::AccessKind::atomic, instruction.space, 16, 1);
  writer.call("emu_bulk_reduce",
              {number(load), number(site), writer.mask(), number(static_cast<std::uint64_t>(op)),
               number(static_cast<std::uint64_t>(type))});
}

// To the shared memory of the blocks that the last operand names.
void send_to_several(Writer& writer, const Instruction& instruction, std::uint32_t load) {
  Ir& ir = writer.ir;
  const std::uint32_t store =
      writer.add_site(instruction, runtime::AccessKind::store, instruction.space, 16, 1);
  const std::uint32_t barrier =
      writer.add_site(instruction, runtime::AccessKind::atomic, instruction.space, 8, 1);
  ir.store(AccessAddress(writer, instruction.operands[3], Space::shared).lanes(),
           writer.value_area(2), 64);
  ir.store(writer.read(instruction.operands[4], "i32", kLanes), writer.value_area(3), 64);
  writer.call("emu_bulk_multicast", {number(load), number(store), number(barrier), writer.mask()});
}

// Of each 16 bytes those that the last operand has a bit for.
void copy_masked(Writer& writer, const Instruction& instruction, std::uint32_t load,
                 std::uint32_t store) {
  const std::size_t last = instruction.operands.size() - 1;
  require_operand(writer, instruction, last, Type::u16);
  writer.ir.store(writer.read(instruction.operands[last], "i32", kLanes), writer.value_area(2), 64);
  writer.call("emu_bulk_copy_masked", {number(load), number(store), writer.mask()});
}

// PTX ISA, st.bulk: a size of 64 bits, which is a multiple of 8, and the number 0.
void require_fill(const Writer& writer, const Instruction& instruction) {
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;
  for (const Modifier word : instruction.modifiers) {
    if (word != Modifier::bulk && word != Modifier::weak) {
      unsupported(instruction, "its only word is '.weak'");
    }
  }
  const bool known_space = !instruction.names_space || instruction.cta_shared;
  if (!known_space || !instruction.types.empty() || instruction.vector_width != 1) {
    unsupported(instruction, "it fills '.shared::cta', and has no type");
  }
  if (instruction.operands.size() != 3) unsupported(instruction, "it has 3 operands");
  require_operand(writer, instruction, 1, Type::u64);
  const auto* size = std::get_if<ptx::Immediate>(&instruction.operands[1].value);
  if (size != nullptr && (size->bits % 8 != 0 || size->bits > kLargest)) {
    unsupported(instruction, "its size is a multiple of 8 of at most 16777216");
  }
  const auto* value = std::get_if<ptx::Immediate>(&instruction.operands[2].value);
  if (value == nullptr || value->form != ptx::Immediate::Form::integer || value->bits != 0) {
    unsupported(instruction, "it stores the constant 0");
  }
}

}  // namespace

void copy_tensor_map(Writer& writer, const Instruction& instruction) {
  constexpr std::uint64_t kBytes = 128;
  const auto& operands = instruction.operands;
  const bool words = instruction.has(Modifier::tensormap_generic) &&
                     instruction.has(Modifier::release) && instruction.has(Modifier::sync) &&
                     instruction.has(Modifier::aligned) && instruction.modifiers.size() == 6;
  const bool spaces = instruction.space == Space::global &&
                      instruction.second_space == Space::shared && instruction.cta_shared;
  if (!words || !spaces || !instruction.types.empty()) unsupported(instruction);
  const auto* size =
      operands.size() == 3 ? std::get_if<ptx::Immediate>(&operands[2].value) : nullptr;
  if (size == nullptr || size->bits != kBytes) unsupported(instruction, "its size is 128");
  Ir& ir = writer.ir;
  const std::uint32_t load =
      writer.add_site(instruction, runtime::AccessKind::load, Space::shared, 16, 1);
  const std::uint32_t store =
      writer.add_site(instruction, runtime::AccessKind::store, Space::global, 16, 1);
  ir.store(AccessAddress(writer, operands[1], Space::shared).lanes(), writer.address_area(), 64);
  ir.store(AccessAddress(writer, operands[0], Space::global).lanes(), writer.value_area(0), 64);
  ir.store(Ir::constant(kBytes, "i64", kLanes), writer.value_area(1), 64);
  writer.call("emu_bulk_copy", {number(load), number(store), writer.mask()});
  ir.line("fence seq_cst");
}

void fill_in_bulk(Writer& writer, const Instruction& instruction) {
  require_fill(writer, instruction);
  Ir& ir = writer.ir;
  const std::uint32_t site =
      writer.add_site(instruction, runtime::AccessKind::store, instruction.space, 8, 1);
  const Value bytes = writer.read(instruction.operands[1], "i64", kLanes);
  ir.store(AccessAddress(writer, instruction.operands[0], instruction.space).lanes(),
           writer.address_area(), 64);
  ir.store(bytes, writer.value_area(0), 64);
  writer.call("emu_bulk_fill", {number(site), writer.mask()});
}

void copy_in_bulk(Writer& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool at_barrier = instruction.has(Modifier::mbarrier_complete_tx_bytes);
  const bool to_global = instruction.space == Space::global;
  const bool from_global = instruction.second_space == Space::global;
  const bool reads_shared = instruction.second_space == Space::shared;
  // To shared memory with an mbarrier, to global memory in a group.
  const bool known =
      to_global ? reads_shared && instruction.has(Modifier::bulk_group)
                : instruction.space == Space::shared && at_barrier && (reads_shared || from_global);
  const bool does_reduce = instruction.has(Modifier::reduce);
  const bool multicast = instruction.has(Modifier::multicast_cluster);
  const bool masked = instruction.has(Modifier::cp_mask);
  const std::size_t needed = (at_barrier ? 4 : 3) + (multicast || masked ? 1 : 0);
  const std::size_t given =
      operands.size() - (instruction.has(Modifier::L2_cache_hint) && !operands.empty() ? 1 : 0);
  if (!known || given != needed || (does_reduce && from_global) ||
      (multicast && (!from_global || !instruction.cluster_shared)) ||
      (masked && (!to_global || does_reduce)) || (!does_reduce && !instruction.types.empty())) {
    unsupported(instruction);
  }
  Ir& ir = writer.ir;
  const Value size = writer.read(operands[2], "i32", kLanes);
  const std::uint32_t load =
      writer.add_site(instruction, runtime::AccessKind::load, instruction.second_space, 16, 1);
  ir.store(AccessAddress(writer, operands[1], instruction.second_space).lanes(),
           writer.address_area(), 64);
  ir.store(AccessAddress(writer, operands[0], instruction.space).lanes(), writer.value_area(0), 64);
  ir.store(ir.resize(size, "i64", false), writer.value_area(1), 64);
  if (multicast) return send_to_several(writer, instruction, load);
  if (does_reduce) {
    reduce(writer, instruction, load);
  } else {
    const std::uint32_t store =
        writer.add_site(instruction, runtime::AccessKind::store, instruction.space, 16, 1);
    if (masked) return copy_masked(writer, instruction, load, store);
    writer.call("emu_bulk_copy", {number(load), number(store), writer.mask()});
  }
  if (at_barrier) complete_transaction(writer, instruction, operands[3], size);
}

}  // namespace emulator::lower
