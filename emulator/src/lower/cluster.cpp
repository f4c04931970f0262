// mapa and getctarank. Every cluster is one block, whose rank is 0.
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;

// A rank that the cluster does not have leads to no memory.
void require_rank_zero(Writer& writer, const Instruction& instruction) {
  Ir& ir = writer.ir;
  const Value ranks = writer.read(instruction.operands.at(2), "i32", kLanes);
  const Value wrong = ir.binary("and", ir.to_mask(ir.compare("icmp ne", ranks, 0)), writer.mask());
  const std::string bad = ir.label("rank.bad");
  const std::string good = ir.label("rank.good");
  ir.branch(ir.compare("icmp ne", wrong, 0), bad, good, true);
  ir.begin_block(bad);
  writer.call("emu_fault", {number(static_cast<std::uint64_t>(runtime::FaultKind::bad_instruction)),
                            wrong, number(instruction.where.line)});
  ir.jump(good);
  ir.begin_block(good);
}

void require_form(const Instruction& instruction, std::size_t operands) {
  const bool known_space = !instruction.names_space ||
                           (instruction.space == ptx::Space::shared && instruction.cluster_shared);
  if (!known_space || instruction.operands.size() != operands) unsupported(instruction);
}

}  // namespace

void lower_getctarank(Writer& writer, const Instruction& instruction) {
  require_form(instruction, 2);
  writer.write_result(instruction, Ir::constant(0, "i32", 1));
}
void lower_mapa(Writer& writer, const Instruction& instruction) {
  require_form(instruction, 3);
  require_rank_zero(writer, instruction);
  writer.write_result(instruction,
                      writer.read(instruction.operands[1], integer_of(instruction.type()),
                                  writer.lanes_of(instruction)));
}

}  // namespace emulator::lower
