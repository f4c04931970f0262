#include "lower/analysis.h"

#include <algorithm>

#include "lower/data_flow.h"
#include "lower/effects.h"

namespace emulator::lower {
namespace {

using ptx::Special;

// A loop counter's range grows by one step each time round; after this many changes it is taken to
// be anything.
constexpr unsigned kWidenAfter = 4;

LaneValues values_of_tid(const LaunchShape& shape, unsigned dimension) {
  const std::uint32_t threads = shape.threads();
  const std::uint32_t warps = (threads + runtime::kWarpSize - 1) / runtime::kWarpSize;
  LaneOffsets offset{};
  Range range{INT64_MAX, INT64_MIN};
  std::uint32_t scalar_bits = 0;
  for (unsigned lane = 0; lane < offset.size(); ++lane) {
    offset[lane] = static_cast<std::int64_t>(thread_index(shape, dimension, 0, lane)) -
                   thread_index(shape, dimension, 0, 0);
  }
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const std::int64_t scalar = thread_index(shape, dimension, warp, 0);
    range = {std::min(range.low, scalar), std::max(range.high, scalar)};
    scalar_bits |= static_cast<std::uint32_t>(scalar);
    for (unsigned lane = 0; lane < offset.size(); ++lane) {
      if (warp * runtime::kWarpSize + lane >= threads) break;  // no such thread
      if (thread_index(shape, dimension, warp, lane) != scalar + offset[lane])
        return LaneValues::any();
    }
  }
  unsigned zeros = 0;
  while (zeros < 32 && ((scalar_bits >> zeros) & 1U) == 0) ++zeros;
  LaneValues lane_values = LaneValues::uniform(range, zeros);
  lane_values.offset = offset;
  return lane_values;
}

unsigned width_of(const ptx::Function& function, std::size_t index) {
  return std::max(ptx::bits(function.registers[index].type), 1U);
}

// What holds of a register before the first instruction. One that may be read before it is written,
// or whose first write may pass some lanes over, is 0 then.
std::vector<LaneValues> first_values(const ptx::Function& function, const ControlFlow& flow,
                                     const LaunchShape& shape, Knowledge knowledge) {
  std::vector<LaneValues> register_values(function.registers.size());
  if (knowledge == Knowledge::none) {
    for (std::size_t r = 0; r < register_values.size(); ++r) {
      register_values[r] =
          shape.by_thread() ? LaneValues::uniform(width_of(function, r)) : LaneValues::any();
    }
    return register_values;
  }
  for (const std::uint32_t r : flow.live_in[0].items())
    register_values[r] = LaneValues::constant(0);
  return register_values;
}

// One pass over the body; whether anything that is known of a register changed.
bool update_values(const ptx::Module& module, const ptx::Function& function,
                   const LaunchShape& shape, const Layout& layout, const SymbolAddresses& symbols,
                   const std::vector<bool>& forced, std::vector<unsigned>& changes,
                   std::vector<LaneValues>& register_values) {
  bool changed = false;
  const DataFlow context{module, function, shape, layout, symbols, register_values};
  for (const ptx::Instruction& instruction : function.body) {
    const Effects effects = effects_of(instruction);
    if (effects.writes.empty()) continue;
    // Where not all lanes write, the others keep what they had.
    bool by_some = false;
    if (instruction.guard) {
      const LaneValues& guard = register_values[instruction.guard->predicate.index];
      if (guard.kind == LaneValues::Kind::unset) continue;
      by_some = !guard.is_uniform();
    }
    for (const std::uint32_t r : effects.writes) {
      const unsigned bits = width_of(function, r);
      const LaneValues result = result_values(context, instruction, bits);
      LaneValues merged =
          join(register_values[r], by_some && !result.is_vector() ? LaneValues::any() : result);
      if (forced[r] && merged.kind == LaneValues::Kind::affine)
        merged = LaneValues::guessed(merged.offset);
      if (merged == register_values[r]) continue;
      if (++changes[r] > kWidenAfter && merged.kind == LaneValues::Kind::affine) {
        merged.range = full_range(bits);
        merged.trailing_zeros = changes[r] > 2 * kWidenAfter ? 0 : merged.trailing_zeros;
      }
      if (merged == register_values[r]) continue;
      register_values[r] = merged;
      changed = true;
    }
  }
  return changed;
}

void find_divergent(const ControlFlow& flow, Analysis& analysis) {
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    const BasicBlock& block = flow.blocks[b];
    const auto splits = [&](const ptx::Register& r) {
      return !analysis.register_values[r.index].is_uniform();
    };
    analysis.divergent[b] =
        (block.end == BasicBlock::End::conditional && splits(block.condition.predicate)) ||
        (block.end == BasicBlock::End::indexed && splits(block.index)) ||
        (block.guarded && splits(block.condition.predicate));
  }
}

// Adds to pending() what follows from lanes leaving `block` for `targets`.
bool propagate(const ControlFlow& flow, Analysis& analysis, std::uint32_t block,
               const std::vector<std::uint32_t>& targets) {
  bool changed = false;
  IndexSet waiting = analysis.pending[block];
  for (const std::uint32_t t : targets) {
    if (t != flow.exit()) waiting.insert(t);
  }
  for (const NextBlock& next : next_blocks(flow, analysis.pending[block], targets)) {
    if (!analysis.gathers_all[next.block]) {
      IndexSet others = waiting;
      others.erase(next.block);
      changed |= analysis.pending[next.block].merge(others);
    }
    // No lanes were there if another one runs.
    if (!next.once_gathered) waiting.erase(next.block);
  }
  return changed;
}

// Where it would be a fault if a lane that has not exited were elsewhere.
void find_gathering(const ptx::Function& function, const ControlFlow& flow, Analysis& analysis) {
  analysis.gathers_all.assign(flow.blocks.size(), false);
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    const BasicBlock& block = flow.blocks[b];
    if (block.start != BasicBlock::Start::gathered) continue;
    const ptx::Instruction& first = function.body[block.first];
    analysis.gathers_all[b] = !first.guard && !is_of_matrices(first.opcode) &&
                              names_all_lanes(first, analysis.register_values);
  }
}

void find_pending(const ControlFlow& flow, Analysis& analysis) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = 0; b < flow.exit(); ++b) {
      const auto& successors = flow.blocks[b].successors;
      if (analysis.divergent[b]) {
        changed |= propagate(flow, analysis, b, successors);
      } else {
        for (const std::uint32_t s : successors) changed |= propagate(flow, analysis, b, {s});
      }
    }
  }
}

// Where lanes may run on after others have exited: wherever those lead that did not go with them.
void find_thinned(const ControlFlow& flow, Analysis& analysis) {
  const std::uint32_t exit = flow.exit();
  analysis.thinned.assign(flow.blocks.size(), false);
  std::vector<std::uint32_t> found;
  const auto add = [&](std::uint32_t block) {
    if (block == exit || analysis.thinned[block]) return;
    analysis.thinned[block] = true;
    found.push_back(block);
  };
  for (std::uint32_t b = 0; b < exit; ++b) {
    const auto& successors = flow.blocks[b].successors;
    const bool some_go_on = analysis.divergent[b] || !analysis.converged(b);
    if (!some_go_on || std::ranges::find(successors, exit) == successors.end()) continue;
    std::ranges::for_each(successors, add);
    std::ranges::for_each(analysis.pending[b].items(), add);
  }
  while (!found.empty()) {
    const std::uint32_t block = found.back();
    found.pop_back();
    std::ranges::for_each(flow.blocks[block].successors, add);
  }
}

}  // namespace

std::uint32_t thread_index(const LaunchShape& shape, unsigned dimension, std::uint32_t warp,
                           unsigned lane) {
  const std::uint32_t linear = warp * runtime::kWarpSize + lane;
  switch (dimension) {
    case 0:
      return linear % shape.block[0];
    case 1:
      return linear / shape.block[0] % shape.block[1];
    default:
      return linear / shape.block[0] / shape.block[1];
  }
}

namespace {

bool has_dimensions(Special which) {
  switch (which) {
    case Special::tid:
    case Special::ntid:
    case Special::ctaid:
    case Special::nctaid:
    case Special::clusterid:
    case Special::nclusterid:
    case Special::cluster_ctaid:
    case Special::cluster_nctaid:
      return true;
    default:
      return false;
  }
}

}  // namespace

LaneValues values_of(const ptx::SpecialRegister& special, const LaunchShape& shape) {
  const unsigned d = special.dimension;
  if (shape.by_thread()) {
    if (special.which == Special::tid && d < 3)
      return LaneValues::uniform(Range{0, std::int64_t{shape.block[d]} - 1});
    if (special.which == Special::laneid)
      return LaneValues::uniform(Range{0, std::int64_t{runtime::kWarpSize} - 1});
  }
  // .w of a vector, of which nothing is used.
  constexpr unsigned kUnused = 3;
  if (has_dimensions(special.which) && d == kUnused) return LaneValues::constant(0);
  switch (special.which) {
    case Special::tid:
      return values_of_tid(shape, d);
    case Special::ntid:
      return LaneValues::constant(shape.block[d]);
    case Special::ctaid:
      return LaneValues::uniform(Range{0, std::int64_t{shape.grid[d]} - 1});
    case Special::nctaid:
      return LaneValues::uniform(Range{1, shape.grid[d]});
    case Special::laneid: {
      LaneValues lane_values = LaneValues::constant(0);
      for (std::size_t lane = 0; lane < lane_values.offset.size(); ++lane) {
        lane_values.offset[lane] = static_cast<std::int64_t>(lane);
      }
      return lane_values;
    }
    case Special::warpid:
      return LaneValues::uniform(Range{0, 31});
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt:
      return shape.by_thread() ? LaneValues::uniform(32) : LaneValues::any();
    default:
      return LaneValues::uniform(64);
  }
}

bool names_all_lanes(const ptx::Instruction& instruction,
                     const std::vector<LaneValues>& register_values) {
  constexpr std::uint64_t kAll = 0xffffffff;
  const std::optional<std::size_t> members = members_operand(instruction);
  if (!members) return needs_other_lanes(instruction);
  const ptx::Operand& operand = instruction.operands.at(*members);
  if (const auto* number = std::get_if<ptx::Immediate>(&operand.value)) {
    return (number->bits & kAll) == kAll;
  }
  const auto* reg = std::get_if<ptx::Register>(&operand.value);
  if (reg == nullptr) return false;
  const LaneValues& values = register_values[reg->index];
  return values.is_constant() && (static_cast<std::uint64_t>(values.range.low) & kAll) == kAll;
}

std::vector<NextBlock> next_blocks(const ControlFlow& flow, const IndexSet& pending,
                                   const std::vector<std::uint32_t>& targets) {
  IndexSet candidates = pending;
  IndexSet open(flow.blocks.size());  // targets that are not known to have no lanes
  bool leaves = false;
  std::uint32_t turn = 0;  // blocks to be run last take turns from behind here on
  for (const std::uint32_t t : targets) {
    if (t == flow.exit()) {
      leaves = true;
      continue;
    }
    candidates.insert(t);
    open.insert(t);
    if (flow.blocks[t].start == BasicBlock::Start::last) turn = std::max(turn, t + 1);
  }
  using Start = BasicBlock::Start;
  const std::vector<std::uint32_t> all = candidates.items();
  std::vector<NextBlock> order;
  const auto add = [&](const auto& wanted, bool once_gathered) {
    for (const std::uint32_t b : all) {
      if (wanted(b)) order.push_back({b, once_gathered && flow.blocks[b].start == Start::gathered});
    }
  };
  const auto is_last = [&](std::uint32_t b) { return flow.blocks[b].start == Start::last; };
  const auto is_gathered = [&](std::uint32_t b) { return flow.blocks[b].start == Start::gathered; };
  add([&](std::uint32_t b) { return !is_last(b); }, all.size() > 1);
  add([&](std::uint32_t b) { return is_last(b) && b >= turn; }, false);
  add([&](std::uint32_t b) { return is_last(b) && b < turn; }, false);
  if (all.size() > 1) add(is_gathered, false);
  if (leaves) return order;
  const auto certain = std::ranges::find_if(order, [&](const NextBlock& next) {
    if (!next.once_gathered) open.erase(next.block);
    return open.empty();
  });
  order.erase(std::next(certain), order.end());
  return order;
}

Analysis analyse(const ptx::Module& module, const ptx::Function& function, const ControlFlow& flow,
                 const LaunchShape& shape, const Layout& layout, const SymbolAddresses& symbols,
                 Knowledge knowledge) {
  Analysis analysis;
  const std::size_t registers = function.registers.size();
  const std::size_t blocks = flow.blocks.size();
  std::vector<bool> forced(registers, false);
  for (bool settled = false; !settled;) {
    settled = true;
    analysis.register_values = first_values(function, flow, shape, knowledge);
    analysis.divergent.assign(blocks, false);
    analysis.pending.assign(blocks, IndexSet(blocks));
    analysis.kept.assign(blocks, IndexSet(registers));
    std::vector<unsigned> changes(registers, 0);
    const auto settle = [&] {
      while (update_values(module, function, shape, layout, symbols, forced, changes,
                           analysis.register_values)) {
      }
    };
    settle();
    // Registers that nothing reaches. What follows from them has been left out so far.
    for (std::size_t r = 0; r < registers; ++r) {
      LaneValues& lane_values = analysis.register_values[r];
      if (lane_values.kind == LaneValues::Kind::unset)
        lane_values = LaneValues::uniform(width_of(function, r));
    }
    settle();
    find_divergent(flow, analysis);
    find_gathering(function, flow, analysis);
    find_pending(flow, analysis);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      for (const std::uint32_t waiting : analysis.pending[b].items()) {
        analysis.kept[b].merge(flow.live_in[waiting]);
      }
      for (std::uint32_t i = flow.blocks[b].first; i < flow.blocks[b].last; ++i) {
        for (const std::uint32_t r : effects_of(function.body[i]).writes) {
          if (!forced[r] && !analysis.register_values[r].is_vector() &&
              analysis.kept[b].contains(r)) {
            forced[r] = true;
            settled = false;
          }
        }
      }
    }
  }
  find_thinned(flow, analysis);
  return analysis;
}

}  // namespace emulator::lower
