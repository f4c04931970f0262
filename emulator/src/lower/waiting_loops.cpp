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

using Source = ValueSources::Source;

// Whether what it gives may be what another thread has written.
bool sees_others(const Instruction& instruction) {
  switch (ptx::facts_of(instruction.opcode).effect) {
    case Effect::loads:
      return instruction.space != Space::param && instruction.space != Space::constant;
    case Effect::pure:
      return false;
    default:
      return true;
  }
}

bool is_free_barrier(const Instruction& instruction) {
  return instruction.opcode == Opcode::barrier && !instruction.has(Modifier::aligned) &&
         !instruction.has(Modifier::warp);
}

// Loops whose lanes wait for what other threads write.
class WaitingLoops {
 public:
  WaitingLoops(const ptx::Function& function, const ControlFlow& flow)
      : flow_(flow), sources_(function, flow) {
    for (std::uint32_t b = 0; b < flow.exit(); ++b) {
      const bool waits = std::any_of(function.body.begin() + flow.blocks[b].first,
                                     function.body.begin() + flow.blocks[b].last, may_wait);
      if (waits) waiting_.push_back(b);
    }
  }

  // The state space of what the way out of the loop hangs on, if that is what others write.
  [[nodiscard]] std::optional<Space> awaited_space(const Loop& loop) const {
    const auto waiting_here = std::ranges::lower_bound(waiting_, loop.head);
    if (waiting_here == waiting_.end() || !loop.holds(*waiting_here)) return std::nullopt;
    std::vector<Source> seen;
    for (std::uint32_t b = loop.head; b <= loop.end; ++b) {
      const BasicBlock& block = flow_.blocks[b];
      const bool leads_out =
          std::ranges::any_of(block.successors, [&](std::uint32_t s) { return !loop.holds(s); });
      if (!leads_out || block.end != BasicBlock::End::conditional) continue;
      sources_.add(loop, block.condition.predicate.index, seen);
    }
    // A compare-and-swap that is tried again with what it has just found: one lane always gets
    // through.
    if (std::ranges::any_of(seen, [&](const Source& s) { return retries(loop, *s.instruction); })) {
      return std::nullopt;
    }
    const auto waiting = std::ranges::find_if(seen, [](const Source& s) {
      return may_wait(*s.instruction) && !advances(*s.instruction);
    });
    return waiting == seen.end() ? std::nullopt : std::optional(waiting->instruction->space);
  }

 private:
  [[nodiscard]] bool retries(const Loop& loop, const Instruction& instruction) const {
    if (instruction.opcode != Opcode::atom || !instruction.has(Modifier::cas)) return false;
    const auto* compared = std::get_if<ptx::Register>(&instruction.operands.at(2).value);
    if (compared == nullptr) return false;
    std::vector<Source> sources;
    sources_.add(loop, compared->index, sources);
    return std::ranges::any_of(sources, [](const Source& source) {
      return source.instruction->opcode == Opcode::ld || source.instruction->opcode == Opcode::atom;
    });
  }

  const ControlFlow& flow_;
  ValueSources sources_;
  std::vector<std::uint32_t> waiting_;  // blocks with instructions that may wait, ascending
};

// What the lanes do that rest behind a loop while others go round.
class RestingLanes {
 public:
  RestingLanes(const ptx::Function& function, const ControlFlow& flow, const Analysis& analysis)
      : function_(function), flow_(flow), analysis_(analysis) {}

  // Whether one of them might end the wait for memory of that space.
  [[nodiscard]] bool may_end_wait(const Loop& loop, Space awaited) const {
    IndexSet resting = analysis_.pending[loop.head];
    resting.merge(analysis_.pending[loop.end]);
    return std::ranges::any_of(
        resting.items(), [&](std::uint32_t b) { return !loop.holds(b) && may_write(b, awaited); });
  }

 private:
  // Whether lanes that go on at `block` may write to that space before they have to wait for the
  // others.
  [[nodiscard]] bool may_write(std::uint32_t block, Space space) const {
    return can_reach(flow_, block, [&](std::uint32_t b) -> std::optional<bool> {
      if (b == flow_.exit()) return false;
      for (std::uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].last; ++i) {
        const Instruction& instruction = function_.body[i];
        if (writes(instruction) && may_alias(instruction.space, space)) return true;
        const bool goes_on = instruction.has(Modifier::arrive) ||
                             !names_all_lanes(instruction, analysis_.register_values);
        if (!goes_on) return false;
      }
      return std::nullopt;
    });
  }

  const ptx::Function& function_;
  const ControlFlow& flow_;
  const Analysis& analysis_;
};

}  // namespace

ValueSources::ValueSources(const ptx::Function& function, const ControlFlow& flow)
    : writers_(function.registers.size()) {
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
      const Instruction& instruction = function.body[i];
      for (const std::uint32_t r : effects_of(instruction).writes) {
        writers_[r].push_back({b, &instruction});
      }
    }
  }
}

void ValueSources::add(const Loop& loop, std::uint32_t reg, std::vector<Source>& seen) const {
  std::vector<std::uint32_t> open{reg};
  while (!open.empty()) {
    const std::uint32_t wanted = open.back();
    open.pop_back();
    for (const Source& source : writers_[wanted]) {
      if (!loop.holds(source.block) || std::ranges::find(seen, source) != seen.end()) continue;
      seen.push_back(source);
      // What a load gives hangs on what others write, not on how its address came about.
      if (may_wait(*source.instruction) && source.instruction->opcode == Opcode::ld) continue;
      const Effects effects = effects_of(*source.instruction);
      open.insert(open.end(), effects.reads.begin(), effects.reads.end());
    }
  }
}

bool LoopExits::hang_on_others(const Loop& loop) const {
  std::vector<Source> seen;
  std::vector<std::uint32_t> decisions;  // that stay in the loop
  bool ends = false;
  bool hangs_on_all = false;
  for (std::uint32_t b = loop.head; b <= loop.end; ++b) {
    const BasicBlock& block = flow_.blocks[b];
    if (block.end == BasicBlock::End::indexed) return true;
    const bool leads_out =
        std::ranges::any_of(block.successors, [&](std::uint32_t s) { return !loop.holds(s); });
    ends = ends || leads_out;
    if (block.end != BasicBlock::End::conditional) {
      hangs_on_all = hangs_on_all || leads_out;
      continue;
    }
    const std::uint32_t predicate = block.condition.predicate.index;
    if (leads_out) {
      sources_.add(loop, predicate, seen);
    } else {
      decisions.push_back(predicate);
    }
  }
  if (!ends) return true;
  // Where what decides is written in some rounds only, it hangs on what these rounds are.
  hangs_on_all = hangs_on_all || std::ranges::any_of(seen, [&](const Source& source) {
                   return !in_every_round(loop, source.block);
                 });
  for (const std::uint32_t predicate : decisions) {
    if (hangs_on_all) sources_.add(loop, predicate, seen);
  }
  return std::ranges::any_of(seen,
                             [](const Source& source) { return sees_others(*source.instruction); });
}

// Whether no way from the loop's head to its end goes past the block.
bool LoopExits::in_every_round(const Loop& loop, std::uint32_t block) const {
  std::vector<bool> reached(loop.end - loop.head + 1, false);
  std::vector<std::uint32_t> open{loop.head};
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (b == block || !loop.holds(b) || reached[b - loop.head]) continue;
    if (b == loop.end) return false;
    reached[b - loop.head] = true;
    const auto& successors = flow_.blocks[b].successors;
    open.insert(open.end(), successors.begin(), successors.end());
  }
  return true;
}

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
  const WaitingLoops loops(function, flow);
  const RestingLanes resting(function, flow, analysis);
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    for (const std::uint32_t s : flow.blocks[b].successors) {
      if (s > b) continue;
      const std::optional<Space> awaited = loops.awaited_space({s, b});
      if (awaited && resting.may_end_wait({s, b}, *awaited)) return true;
    }
  }
  return false;
}

bool lanes_come_to_barriers_one_by_one(const ptx::Function& function, const ControlFlow& flow,
                                       const Analysis& analysis) {
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    const BasicBlock& block = flow.blocks[b];
    if (!analysis.converged(b) &&
        std::any_of(function.body.begin() + block.first, function.body.begin() + block.last,
                    is_free_barrier)) {
      return true;
    }
  }
  return false;
}

void let_waiting_loops_come_last(const ptx::Function& function, ControlFlow& flow) {
  const WaitingLoops loops(function, flow);
  for (std::uint32_t b = 0; b < flow.exit(); ++b) {
    BasicBlock& block = flow.blocks[b];
    const bool leads_back = block.end == BasicBlock::End::jump && block.successors[0] <= b;
    if (!leads_back || !loops.awaited_space({block.successors[0], b})) continue;
    block.start = BasicBlock::Start::last;
  }
}

}  // namespace emulator::lower
