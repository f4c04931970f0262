#include "lower/awaited_lanes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lower/effects.h"
#include "lower/waiting_loops.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;

class AwaitedLanes {
 public:
  AwaitedLanes(const ptx::Function& function, const ControlFlow& flow, const Analysis& analysis)
      : function_(function), flow_(flow), analysis_(analysis), sources_(function, flow) {}

  [[nodiscard]] bool may_be_elsewhere(std::uint32_t block) const {
    if (analysis_.converged(block)) return false;
    for (std::uint32_t i = flow_.blocks[block].first; i < flow_.blocks[block].last; ++i) {
      const Instruction& instruction = function_.body[i];
      const std::optional<std::size_t> members = members_operand(instruction);
      if (!members || names_those_present(instruction.operands.at(*members))) continue;
      const std::vector<std::uint32_t> others = analysis_.pending[block].items();
      if (std::ranges::any_of(others, [&](std::uint32_t b) { return may_end_wait(b, i); })) {
        return true;
      }
    }
    return false;
  }

 private:
  // Whether the mask comes from who runs, or from what they voted: such lanes go the same way.
  [[nodiscard]] bool names_those_present(const ptx::Operand& members) const {
    const auto* reg = std::get_if<ptx::Register>(&members.value);
    if (reg == nullptr) return false;
    std::vector<ValueSources::Source> sources;
    sources_.add({0, flow_.exit()}, reg->index, sources);
    return std::ranges::any_of(sources, [](const ValueSources::Source& source) {
      const Opcode opcode = source.instruction->opcode;
      return opcode == Opcode::activemask || opcode == Opcode::vote || opcode == Opcode::match;
    });
  }

  // Whether lanes that go on at `block` may exit, or come to the instruction, before they come to
  // one that all lanes have to come to.
  [[nodiscard]] bool may_end_wait(std::uint32_t block, std::uint32_t instruction) const {
    return can_reach(flow_, block, [&](std::uint32_t b) -> std::optional<bool> {
      if (b == flow_.exit()) return true;
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].last; ++i) {
        if (i == instruction) return true;
        if (names_all_lanes(function_.body[i], analysis_.register_values)) return false;
      }
      return std::nullopt;
    });
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const Analysis& analysis_;
  const ValueSources sources_;
};

}  // namespace

bool lanes_wait_for_named_ones(const ptx::Function& function, const ControlFlow& flow,
                               const Analysis& analysis) {
  const AwaitedLanes lanes(function, flow, analysis);
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    if (lanes.may_be_elsewhere(b)) return true;
  }
  return false;
}

}  // namespace emulator::lower
