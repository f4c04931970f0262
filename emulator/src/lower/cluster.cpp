// mapa and getctarank, and barrier.cluster is in warp.cpp. The address of shared memory has the
// rank of its block above the block's window.
#include <bit>
#include <cstddef>

#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Space;

constexpr unsigned kWindowBits = std::countr_zero(runtime::kSharedWindow);

Value context_number(Writer& writer, std::size_t offset) {
  return writer.ir.load(writer.context_field(offset), "i32", 1, 4);
}

// A rank that the cluster does not have leads to no memory.
void require_ranks(Writer& writer, const Instruction& instruction) {
  Ir& ir = writer.ir;
  const Value ranks = writer.read(instruction.operands.at(2), "i32", kLanes);
  const Value size = context_number(writer, offsetof(runtime::WarpContext, cluster_size));
  const Value beyond = ir.to_mask(ir.compare("icmp uge", ranks, ir.splat(size, kLanes)));
  const Value wrong = ir.binary("and", beyond, writer.mask());
  const std::string bad = ir.label("rank.bad");
  const std::string good = ir.label("rank.good");
  ir.branch(ir.compare("icmp ne", wrong, 0), bad, good, true);
  ir.begin_block(bad);
  writer.call("emu_fault", {number(static_cast<std::uint64_t>(runtime::FaultKind::bad_instruction)),
                            wrong, number(instruction.where.line)});
  ir.jump(good);
  ir.begin_block(good);
}

// The address is as wide as the type says.
bool fits(const Writer& writer, const Instruction& instruction) {
  const auto* reg = std::get_if<ptx::Register>(&instruction.operands.at(1).value);
  return reg == nullptr || ptx::bits(writer.function().registers.at(reg->index).type) ==
                               ptx::bits(instruction.type());
}

void require_form(const Writer& writer, const Instruction& instruction, std::size_t operands) {
  const bool known_space = !instruction.names_space ||
                           (instruction.space == Space::shared && instruction.cluster_shared);
  if (!known_space || instruction.operands.size() != operands || !fits(writer, instruction))
    unsupported(instruction);
}

// Where a generic address lies among those of shared memory, or the address that names it there.
Value among_shared(Writer& writer, const Instruction& instruction, const Value& address) {
  if (instruction.names_space) return address;
  const Value base = writer.ir.cast("ptrtoint", writer.shared_base(), "i64");
  return writer.ir.binary("sub", address, writer.ir.splat(base, address.lanes));
}

}  // namespace

void lower_getctarank(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction, 2);
  Ir& ir = writer.ir;
  const unsigned lanes = writer.lanes_of(instruction);
  const Value address = writer.read(instruction.operands[1], "i64", lanes);
  const Value place = among_shared(writer, instruction, address);
  writer.write_result(instruction, ir.resize(ir.binary("lshr", place, kWindowBits), "i32", false));
}

void lower_mapa(Writer& writer, const Instruction& instruction) {
  require_form(writer, instruction, 3);
  require_ranks(writer, instruction);
  Ir& ir = writer.ir;
  const unsigned lanes = writer.lanes_of(instruction);
  const Value address = writer.read(instruction.operands[1], "i64", lanes);
  const Value place = among_shared(writer, instruction, address);
  const Value rank = ir.resize(writer.read(instruction.operands[2], "i32", lanes), "i64", false);
  const Value there = ir.binary("or", ir.binary("and", place, runtime::kSharedWindow - 1),
                                ir.binary("shl", rank, kWindowBits));
  // What the address was moved by, it is moved by again.
  const Value moved = ir.binary("sub", address, place);
  writer.write_result(instruction, ir.resize(ir.binary("add", there, moved),
                                             integer_of(instruction.type()), false));
}

}  // namespace emulator::lower
