#include "lower/control_flow.h"

#include <algorithm>
#include <bit>
#include <map>

#include "lower/block_order.h"
#include "lower/effects.h"
#include "ptx/opcode_facts.h"

namespace emulator::lower {
namespace {

using ptx::Effect;
using ptx::Opcode;

bool never_returns(const ptx::Module& module, const ptx::Instruction& instruction) {
  const Effect effect = ptx::facts_of(instruction.opcode).effect;
  if (effect == Effect::stops) return true;
  if (effect != Effect::calls) return false;
  for (const auto& operand : instruction.operands) {
    const auto* symbol = std::get_if<ptx::Symbol>(&operand.value);
    if (symbol != nullptr && symbol->where == ptx::Symbol::Where::function) {
      const ptx::Function& callee = module.functions[symbol->index];
      return callee.no_return || callee.name == "__assertfail";
    }
  }
  return false;
}

bool jumps(const ptx::Instruction& instruction) {
  return ptx::facts_of(instruction.opcode).effect == Effect::jumps;
}

bool ends_block(const ptx::Module& module, const ptx::Instruction& instruction) {
  if (jumps(instruction)) return true;
  return !instruction.guard && never_returns(module, instruction);
}

void add_targets(const ptx::Operand& operand, std::vector<std::uint32_t>& targets) {
  if (const auto* label = std::get_if<ptx::LabelReference>(&operand.value)) {
    targets.push_back(label->instruction);
  } else if (const auto* list = std::get_if<ptx::Vector>(&operand.value)) {
    for (const auto& element : list->elements) add_targets(element, targets);
  }
}

std::vector<std::uint32_t> targets_of(const ptx::Instruction& instruction) {
  std::vector<std::uint32_t> targets;
  if (jumps(instruction)) {
    for (const auto& operand : instruction.operands) add_targets(operand, targets);
  }
  return targets;
}

// Where each block begins, ascending.
std::vector<std::uint32_t> leaders(const ptx::Module& module, const ptx::Function& function,
                                   std::uint32_t longest, LanesChoice lanes) {
  const auto size = static_cast<std::uint32_t>(function.body.size());
  std::vector<std::uint32_t> starts{0};
  for (std::uint32_t i = 0; i < size; ++i) {
    const ptx::Instruction& instruction = function.body[i];
    for (const std::uint32_t target : targets_of(instruction)) starts.push_back(target);
    if (ends_block(module, instruction)) starts.push_back(i + 1);
    if (lanes == LanesChoice::in_turns && needs_other_lanes(instruction)) {
      starts.push_back(i);
      starts.push_back(i + 1);
    }
  }
  std::ranges::sort(starts);
  const auto repeated = std::ranges::unique(starts);
  starts.erase(repeated.begin(), repeated.end());
  while (!starts.empty() && starts.back() >= size) starts.pop_back();
  std::vector<std::uint32_t> cut;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint32_t end = i + 1 < starts.size() ? starts[i + 1] : size;
    for (std::uint64_t at = starts[i]; at < end; at += longest) {
      cut.push_back(static_cast<std::uint32_t>(at));
    }
  }
  return cut;
}

void find_successors(const ptx::Module& module, const ptx::Function& function,
                     const std::vector<std::uint32_t>& starts, ControlFlow& flow) {
  const std::uint32_t exit = flow.exit();
  const auto block_at = [&](std::uint32_t instruction) {
    const auto found = std::ranges::lower_bound(starts, instruction);
    return found == starts.end() ? exit : static_cast<std::uint32_t>(found - starts.begin());
  };
  for (std::uint32_t b = 0; b < exit; ++b) {
    BasicBlock& block = flow.blocks[b];
    const std::uint32_t next = b + 1;  // the exit, behind the last block
    if (block.first == block.last) {
      block.successors = {next};
      continue;
    }
    const ptx::Instruction& last = function.body[block.last - 1];
    block.line = last.where.line;
    switch (last.opcode) {
      case Opcode::bra:
      case Opcode::ret:
      case Opcode::exit: {
        --block.last;
        const std::uint32_t target =
            last.opcode == Opcode::bra ? block_at(targets_of(last).at(0)) : exit;
        // Behind a guarded exit at the end of a function others still return.
        if (last.guard && (target != next || last.opcode == Opcode::exit)) {
          block.end = BasicBlock::End::conditional;
          block.condition = *last.guard;
          block.successors = {target, next};
        } else {
          block.successors = {target};
        }
        break;
      }
      case Opcode::brx: {
        --block.last;
        block.end = BasicBlock::End::indexed;
        const auto* index = std::get_if<ptx::Register>(&last.operands.at(0).value);
        if (index == nullptr) throw ptx::Error(last.where, "brx.idx needs a register as its index");
        block.index = *index;
        for (const std::uint32_t target : targets_of(last))
          block.successors.push_back(block_at(target));
        if (block.successors.empty()) throw ptx::Error(last.where, "brx.idx without targets");
        if (last.guard) {
          block.guarded = true;
          block.condition = *last.guard;
          block.successors.push_back(next);
        }
        break;
      }
      default:
        if (!last.guard && never_returns(module, last)) {
          block.end = BasicBlock::End::stop;
        } else {
          block.successors = {next};
        }
    }
  }
}

// A way to nothing but the end is the end: lanes that go it have exited, and an instruction that
// names them, as the full mask of a shuffle behind `if (i >= n) return;` does, waits for them no
// more.
void shorten_ways_out(ControlFlow& flow) {
  const std::uint32_t exit = flow.exit();
  std::vector<bool> ends(flow.blocks.size() + 1, false);
  ends[exit] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = exit; b-- > 0;) {
      const BasicBlock& block = flow.blocks[b];
      const bool empty = block.first == block.last && block.end == BasicBlock::End::jump;
      if (ends[b] || !empty || !ends[block.successors[0]]) continue;
      ends[b] = true;
      changed = true;
    }
  }
  for (BasicBlock& block : flow.blocks) {
    for (std::uint32_t& successor : block.successors) {
      if (ends[successor]) successor = exit;
    }
    const bool both = block.end == BasicBlock::End::conditional && block.successors[0] == exit &&
                      block.successors[1] == exit;
    if (!both) continue;
    block.end = BasicBlock::End::jump;
    block.successors = {exit};
  }
}

void find_live_registers(const ptx::Function& function, ControlFlow& flow) {
  const std::size_t registers = function.registers.size();
  std::vector<IndexSet> uses(flow.blocks.size(), IndexSet(registers));
  std::vector<IndexSet> kills(flow.blocks.size(), IndexSet(registers));
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    const BasicBlock& block = flow.blocks[b];
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Effects effects = effects_of(function.body[i]);
      for (const std::uint32_t r : effects.reads) {
        if (!kills[b].contains(r)) uses[b].insert(r);
      }
      for (const std::uint32_t r : effects.writes) {
        // A guarded write leaves the old value in the lanes it passes over: it reads too.
        if (!function.body[i].guard) {
          kills[b].insert(r);
        } else if (!kills[b].contains(r)) {
          uses[b].insert(r);
        }
      }
    }
    const bool conditional = block.end == BasicBlock::End::conditional || block.guarded;
    if (conditional && !kills[b].contains(block.condition.predicate.index)) {
      uses[b].insert(block.condition.predicate.index);
    }
    if (block.end == BasicBlock::End::indexed && !kills[b].contains(block.index.index)) {
      uses[b].insert(block.index.index);
    }
  }
  flow.live_in = uses;
  flow.live_in.emplace_back(registers);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = flow.blocks.size(); b-- > 0;) {
      IndexSet out(registers);
      for (const std::uint32_t s : flow.blocks[b].successors) out.merge(flow.live_in[s]);
      for (const std::uint32_t r : kills[b].items()) out.erase(r);
      changed |= flow.live_in[b].merge(out);
    }
  }
}

}  // namespace

bool IndexSet::merge(const IndexSet& other) {
  bool changed = false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t merged = words_[i] | other.words_[i];
    changed |= merged != words_[i];
    words_[i] = merged;
  }
  return changed;
}

bool IndexSet::empty() const {
  return std::ranges::all_of(words_, [](std::uint64_t w) { return w == 0; });
}

std::vector<std::uint32_t> IndexSet::items() const {
  std::vector<std::uint32_t> items;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
      items.push_back(static_cast<std::uint32_t>(w * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  return items;
}

bool can_reach(const ControlFlow& flow, std::uint32_t block,
               const std::function<std::optional<bool>(std::uint32_t)>& look) {
  IndexSet reached(flow.blocks.size() + 1);
  std::vector<std::uint32_t> open{block};
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (reached.contains(b)) continue;
    reached.insert(b);
    const std::optional<bool> found = look(b);
    if (found == true) return true;
    if (found || b == flow.exit()) continue;
    const auto& successors = flow.blocks[b].successors;
    open.insert(open.end(), successors.begin(), successors.end());
  }
  return false;
}

ControlFlow control_flow_of(const ptx::Module& module, const ptx::Function& function,
                            std::uint32_t longest, LanesChoice lanes) {
  ControlFlow flow;
  const std::vector<std::uint32_t> starts = leaders(module, function, longest, lanes);
  const auto size = static_cast<std::uint32_t>(function.body.size());
  for (std::size_t i = 0; i < starts.size() && starts[i] < size; ++i) {
    BasicBlock block;
    block.first = starts[i];
    block.last = i + 1 < starts.size() ? starts[i + 1] : size;
    if (lanes == LanesChoice::in_turns && needs_other_lanes(function.body[block.first])) {
      block.start = BasicBlock::Start::gathered;
    }
    flow.blocks.push_back(block);
  }
  if (flow.blocks.empty()) flow.blocks.emplace_back();
  find_successors(module, function, starts, flow);
  shorten_ways_out(flow);
  put_in_running_order(flow, lanes);
  find_live_registers(function, flow);
  return flow;
}

}  // namespace emulator::lower
