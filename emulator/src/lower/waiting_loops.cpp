#include "lower/waiting_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lower/effects.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Effect;
using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;

// Whether memory of the two spaces may be the same.
bool may_alias(Space a, Space b) { return a == b || a == Space::generic || b == Space::generic; }

// Where all lanes of a warp, or those that an instruction names, come together.
bool is_meeting_point(const Instruction& instruction) {
  const bool is_barrier = ptx::facts_of(instruction.opcode).effect == Effect::barrier;
  return is_barrier ? !instruction.has(Modifier::arrive) : is_warp_wide(instruction.opcode);
}

// An addition gets on by itself, as a counter from which lanes take their work; adding 0 is a way
// to read.
bool advances(const Instruction& instruction) {
  if (instruction.opcode != Opcode::atom) return false;
  if (instruction.has(Modifier::inc)) return true;
  const auto* added = std::get_if<ptx::Immediate>(&instruction.operands.at(2).value);
  return instruction.has(Modifier::add) && (added == nullptr || added->bits != 0);
}

bool writes(const Instruction& instruction) {
  const Effect effect = ptx::facts_of(instruction.opcode).effect;
  return effect == Effect::stores || effect == Effect::updates;
}

// The blocks that a way backwards leads through again: they stand together (block_order.h).
struct Loop {
  std::uint32_t head;
  std::uint32_t end;  // from which the way leads back
  [[nodiscard]] bool holds(std::uint32_t block) const { return block >= head && block <= end; }
};

class Waits {
 public:
  Waits(const ptx::Function& function, const ControlFlow& flow, const Analysis& analysis)
      : function_(function), flow_(flow), analysis_(analysis), writers_(function.registers.size()) {
    for (std::uint32_t b = 0; b < flow.exit(); ++b) {
      bool waits = false;
      for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
        const Instruction& instruction = function.body[i];
        for (const std::uint32_t r : effects_of(instruction).writes) {
          writers_[r].push_back({b, &instruction});
        }
        waits = waits || may_wait(instruction);
      }
      if (waits) waiting_.push_back(b);
    }
  }

  [[nodiscard]] bool found() const {
    for (std::uint32_t b = 0; b < flow_.exit(); ++b) {
      if (!analysis_.converged(b) && has_free_barrier(b)) return true;
      for (const std::uint32_t s : flow_.blocks[b].successors) {
        if (s <= b && may_starve({s, b})) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] bool has_free_barrier(std::uint32_t b) const {
    const BasicBlock& block = flow_.blocks[b];
    return std::any_of(function_.body.begin() + block.first, function_.body.begin() + block.last,
                       [](const Instruction& instruction) {
                         return instruction.opcode == Opcode::barrier &&
                                !instruction.has(Modifier::aligned) &&
                                !instruction.has(Modifier::warp) &&
                                !instruction.has(Modifier::cluster);
                       });
  }

  // Lanes go round while others, which might end their wait, rest behind the loop.
  [[nodiscard]] bool may_starve(const Loop& loop) const {
    const std::optional<Space> awaited = awaited_space(loop);
    if (!awaited) return false;
    IndexSet resting = analysis_.pending[loop.head];
    resting.merge(analysis_.pending[loop.end]);
    return std::ranges::any_of(
        resting.items(), [&](std::uint32_t b) { return !loop.holds(b) && may_write(b, *awaited); });
  }

  // The state space of what the way out of the loop hangs on, if that is what others write.
  [[nodiscard]] std::optional<Space> awaited_space(const Loop& loop) const {
    const auto waiting_here = std::ranges::lower_bound(waiting_, loop.head);
    if (waiting_here == waiting_.end() || !loop.holds(*waiting_here)) return std::nullopt;
    std::vector<const Instruction*> seen;
    for (std::uint32_t b = loop.head; b <= loop.end; ++b) {
      const BasicBlock& block = flow_.blocks[b];
      const bool leads_out =
          std::ranges::any_of(block.successors, [&](std::uint32_t s) { return !loop.holds(s); });
      if (!leads_out || block.end != BasicBlock::End::conditional) continue;
      add_sources(loop, block.condition.predicate.index, seen);
    }
    // A compare-and-swap that is tried again with what it has just found: one lane always gets
    // through.
    if (std::ranges::any_of(seen, [&](const Instruction* i) { return retries(loop, *i); })) {
      return std::nullopt;
    }
    const auto waiting =
        std::ranges::find_if(seen, [](const auto* i) { return may_wait(*i) && !advances(*i); });
    return waiting == seen.end() ? std::nullopt : std::optional((*waiting)->space);
  }

  // The instructions of the loop that a register's value comes from.
  void add_sources(const Loop& loop, std::uint32_t reg,
                   std::vector<const Instruction*>& seen) const {
    std::vector<std::uint32_t> open{reg};
    while (!open.empty()) {
      const std::uint32_t wanted = open.back();
      open.pop_back();
      for (const auto& [block, instruction] : writers_[wanted]) {
        if (!loop.holds(block) || std::ranges::find(seen, instruction) != seen.end()) continue;
        seen.push_back(instruction);
        // What a load gives hangs on what others write, not on how its address came about.
        if (may_wait(*instruction) && instruction->opcode == Opcode::ld) continue;
        const Effects effects = effects_of(*instruction);
        open.insert(open.end(), effects.reads.begin(), effects.reads.end());
      }
    }
  }

  [[nodiscard]] bool retries(const Loop& loop, const Instruction& instruction) const {
    if (instruction.opcode != Opcode::atom || !instruction.has(Modifier::cas)) return false;
    const auto* compared = std::get_if<ptx::Register>(&instruction.operands.at(2).value);
    if (compared == nullptr) return false;
    std::vector<const Instruction*> sources;
    add_sources(loop, compared->index, sources);
    return std::ranges::any_of(sources, [](const Instruction* source) {
      return source->opcode == Opcode::ld || source->opcode == Opcode::atom;
    });
  }

  // Whether lanes that go on at `block` may write to that space before they have to wait for the
  // others.
  [[nodiscard]] bool may_write(std::uint32_t block, Space space) const {
    IndexSet reached(flow_.blocks.size());
    std::vector<std::uint32_t> open{block};
    while (!open.empty()) {
      const std::uint32_t b = open.back();
      open.pop_back();
      if (b == flow_.exit() || reached.contains(b)) continue;
      reached.insert(b);
      bool goes_on = true;
      for (std::uint32_t i = flow_.blocks[b].first; goes_on && i < flow_.blocks[b].last; ++i) {
        const Instruction& instruction = function_.body[i];
        if (writes(instruction) && may_alias(instruction.space, space)) return true;
        goes_on = !is_meeting_point(instruction);
      }
      if (!goes_on) continue;
      const auto& successors = flow_.blocks[b].successors;
      open.insert(open.end(), successors.begin(), successors.end());
    }
    return false;
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const Analysis& analysis_;
  struct Writing {
    std::uint32_t block;
    const Instruction* instruction;
  };
  std::vector<std::vector<Writing>> writers_;  // by register
  std::vector<std::uint32_t> waiting_;         // blocks with instructions that may wait, ascending
};

}  // namespace

bool may_wait(const Instruction& instruction) {
  if (instruction.opcode == Opcode::ld) {
    return instruction.has(Modifier::volatile_) || instruction.has(Modifier::acquire) ||
           instruction.has(Modifier::relaxed);
  }
  // try_wait gives other warps their turn by itself.
  return instruction.opcode == Opcode::atom || instruction.has(Modifier::test_wait);
}

bool lanes_wait_for_each_other(const ptx::Function& function, const ControlFlow& flow,
                               const Analysis& analysis) {
  return Waits(function, flow, analysis).found();
}

}  // namespace emulator::lower
