// cp.async: copies between global and shared memory. They are carried out at once, which is one of
// the orders a GPU may choose: groups and waits have nothing left to do.
#include <fmt/format.h>

#include "lower/address.h"
#include "lower/bulk_copy.h"
#include "lower/mbarrier.h"
#include "lower/tensor_copy.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Space;

void copy(Writer& writer, const Instruction& instruction) {
  if (instruction.space != Space::shared || instruction.second_space != Space::global ||
      instruction.operands.size() < 3) {
    unsupported(instruction);
  }
  const auto* size = std::get_if<ptx::Immediate>(&instruction.operands.at(2).value);
  const std::uint64_t bytes = size == nullptr ? 0 : size->bits;
  const bool whole = bytes == 16 && instruction.has(Modifier::cg);
  const bool any = (bytes == 4 || bytes == 8 || bytes == 16) && instruction.has(Modifier::ca);
  if (!whole && !any) unsupported(instruction);
  const bool hinted = instruction.has(Modifier::L2_cache_hint);
  const std::size_t given = instruction.operands.size() - (hinted ? 1 : 0);
  if (given > 4) unsupported(instruction);

  Ir& ir = writer.ir;
  AccessAddress to(writer, instruction.operands.at(0), Space::shared);
  AccessAddress from(writer, instruction.operands.at(1), Space::global);
  Value wanted = Ir::constant(bytes, "i32", kLanes);
  if (given == 4) {
    const ptx::Operand& fourth = instruction.operands.at(3);
    const auto* reg = std::get_if<ptx::Register>(&fourth.value);
    const bool is_predicate =
        reg != nullptr && writer.function().registers.at(reg->index).type == ptx::Type::pred;
    // A predicate says that the source is to be ignored, a number how much of it is to be read.
    wanted = is_predicate ? ir.select(writer.read(fourth, "i1", kLanes),
                                      Ir::constant(0, "i32", kLanes), wanted)
                          : writer.read(fourth, "i32", kLanes);
  }
  const auto elements = static_cast<unsigned>(bytes / 4);
  const std::uint32_t load =
      writer.add_site(instruction, runtime::AccessKind::load, Space::global, 4, elements);
  const std::uint32_t store =
      writer.add_site(instruction, runtime::AccessKind::store, Space::shared, 4, elements);
  ir.store(from.lanes(), writer.address_area(), 64);
  ir.store(to.lanes(), writer.value_area(0), 64);
  ir.store(wanted, writer.value_area(1), 64);
  writer.call("emu_copy", {number(load), number(store), writer.mask(), number(bytes)});
}

}  // namespace

void lower_cp(Writer& writer, const Instruction& instruction) {
  if (!instruction.has(Modifier::async)) unsupported(instruction);
  const bool only_orders = instruction.has(Modifier::commit_group) ||
                           instruction.has(Modifier::wait_group) ||
                           instruction.has(Modifier::wait_all);
  if (only_orders) {
    writer.ir.line("fence seq_cst");
  } else if (instruction.has(Modifier::mbarrier)) {
    arrive_after_copies(writer, instruction);
  } else if (instruction.has(Modifier::tensor)) {
    copy_tensor(writer, instruction);
  } else if (instruction.has(Modifier::prefetch)) {
    // A hint, of an address and a size.
    const std::size_t operands = instruction.has(Modifier::L2_cache_hint) ? 3 : 2;
    if (instruction.operands.size() != operands) {
      unsupported(instruction, fmt::format("it has {} operands", operands));
    }
  } else if (instruction.has(Modifier::bulk)) {
    copy_in_bulk(writer, instruction);
  } else {
    copy(writer, instruction);
  }
}

}  // namespace emulator::lower
