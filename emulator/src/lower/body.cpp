#include "lower/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "lower/call_graph.h"
#include "lower/check_groups.h"
#include "lower/claims.h"
#include "lower/collective.h"
#include "lower/control_flow.h"
#include "lower/effects.h"
#include "lower/instruction.h"
#include "lower/products_under_way.h"
#include "lower/thread_call.h"
#include "lower/waiting_loops.h"
#include "lower/warp.h"
#include "lower/writer.h"

namespace emulator::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;

// Where a part begins: it goes on to the block it was called for.
constexpr const char* kEnter = "enter";

class Body {
 public:
  Body(Writer& writer, const std::map<std::uint32_t, Collective>& collectives)
      : writer_(writer),
        ir_(writer.ir),
        flow_(writer.flow()),
        analysis_(writer.analysis()),
        collectives_(collectives),
        touches_(touches_of_products(writer.function(), writer.flow())),
        loop_exits_(writer.function(), writer.flow()) {}

  Code whole(const std::string& header) {
    if (!writer_.function().entry) check_room(writer_);
    run_next(0, all());
    for (std::uint32_t b = 0; b < flow_.exit(); ++b) block(b);
    return {ir_.function(header), ir_.declarations()};
  }

  std::vector<Code> in_parts(const std::string& kernel, const std::vector<std::uint32_t>& firsts) {
    std::vector<Ir> parts;
    firsts_ = firsts;
    entries_.resize(firsts.size());
    entries_[0].insert(0);
    for (part_ = 0; part_ < firsts.size(); ++part_) {
      ir_.jump(kEnter);
      const std::uint32_t end = part_ + 1 < firsts.size() ? firsts[part_ + 1] : flow_.exit();
      for (std::uint32_t b = firsts[part_]; b < end; ++b) block(b);
      parts.push_back(writer_.next_part());
    }
    std::vector<Code> codes{calls_of_parts(kernel)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (entries_[i].empty()) continue;  // Nothing leads there.
      parts[i].begin_block(kEnter);
      parts[i].line(switch_to(entries_[i], name(*entries_[i].begin()), name));
      codes.push_back({parts[i].function(header_of_part(kernel, i)), parts[i].declarations()});
    }
    return codes;
  }

 private:
  struct Way {
    std::uint32_t target;
    Value lanes;
    bool taken = true;  // of a branch: where its predicate holds
  };

  [[nodiscard]] static std::string name(std::uint32_t block) { return fmt::format("b{}", block); }
  Value all() {
    return writer_.shape().full_warps() ? Ir::constant(~std::uint64_t{0}, "i32", 1) : live();
  }
  Value live() {
    return ir_.load(writer_.context_field(offsetof(runtime::WarpContext, live)), "i32", 1, 4);
  }

  // Whether all 32 lanes run a block whenever it runs. Where they gather, it is yet to be seen.
  [[nodiscard]] bool runs_full(std::uint32_t b) const {
    return analysis_.converged(b) && !analysis_.thinned[b] && !analysis_.gathers_all[b] &&
           writer_.shape().full_warps();
  }

  void block(std::uint32_t b) {
    ir_.begin_block(name(b));
    const Value mask = runs_full(b) ? Ir::constant(~std::uint64_t{0}, "i32", 1)
                                    : ir_.load(running(b), "i32", 1, 4);
    writer_.enter_block(b, mask, runs_full(b));
    const BasicBlock& block = flow_.blocks[b];
    writer_.set_check_groups(check_groups(writer_, block.first, block.last));
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Instruction& instruction = writer_.function().body[i];
      if (writer_.by_thread() && is_volatile_of_block(instruction)) yield();
      writer_.set_guard(instruction);
      if (instruction.guard && acts_outside_registers(instruction.opcode)) {
        const std::string run = ir_.label("guarded");
        const std::string skip = ir_.label("skipped");
        ir_.branch(ir_.compare("icmp ne", writer_.mask(), 0), run, skip);
        ir_.begin_block(run);
        lower(i);
        ir_.jump(skip);
        ir_.begin_block(skip);
      } else {
        lower(i);
      }
      writer_.clear_guard();
    }
    end(b, mask);
  }

  void lower(std::uint32_t index) {
    const Instruction& instruction = writer_.function().body[index];
    if (writer_.claims() != nullptr) compare_read(writer_, *writer_.claims(), instruction);
    if (const auto found = touches_.find(index); found != touches_.end()) {
      for (const std::uint32_t product : found->second) {
        writer_.call("emu_wgmma_touch", {number(instruction.where.line),
                                         number(writer_.function().body[product].where.line)});
      }
    }
    carry_out(index);
    if (writer_.claims() != nullptr) compare_written(writer_, *writer_.claims(), instruction);
  }

  void carry_out(std::uint32_t index) {
    const auto found = collectives_.find(index);
    if (found == collectives_.end()) {
      return lower_instruction(writer_, writer_.function().body[index]);
    }
    writer_.expect_bits_of(found->second.gathered);
    lower_collective(writer_, found->second,
                     [&](const Instruction& gathered) { lower_instruction(writer_, gathered); });
  }

  void end(std::uint32_t b, const Value& mask) {
    const BasicBlock& block = flow_.blocks[b];
    switch (block.end) {
      case BasicBlock::End::stop:
        return ir_.line("unreachable");
      case BasicBlock::End::jump:
        return leave(b, {{block.successors[0], mask}});
      case BasicBlock::End::conditional:
        return conditional(b, mask);
      case BasicBlock::End::indexed:
        return indexed(b, mask);
    }
  }

  void conditional(std::uint32_t b, const Value& mask) {
    const BasicBlock& block = flow_.blocks[b];
    const unsigned lanes = analysis_.divergent[b] ? kLanes : 1;
    Value predicate = writer_.read_register(block.condition.predicate.index, lanes);
    if (block.condition.negated) predicate = ir_.binary("xor", predicate, 1);
    if (analysis_.divergent[b]) {
      const Value taken = ir_.binary("and", ir_.to_mask(predicate), mask);
      const Value not_taken = ir_.binary("xor", taken, mask);
      return leave(b, {{block.successors[0], taken}, {block.successors[1], not_taken}});
    }
    const std::string if_true = ir_.label("taken");
    const std::string if_false = ir_.label("passed");
    ir_.branch(predicate, if_true, if_false);
    ir_.begin_block(if_true);
    leave(b, {{block.successors[0], mask}});
    ir_.begin_block(if_false);
    leave(b, {{block.successors[1], mask, false}});
  }

  // Which successor each lane goes to: the last one where a guard holds it back.
  Value index_of(const BasicBlock& block, unsigned lanes) {
    Value index = writer_.read({.value = block.index, .where = {}}, "i32", lanes);
    if (!block.guarded) return index;
    const std::uint64_t last = block.successors.size() - 1;
    Value taken = writer_.read_register(block.condition.predicate.index, lanes);
    if (block.condition.negated) taken = ir_.binary("xor", taken, 1);
    const auto constant = [&](std::uint64_t value) { return Ir::constant(value, "i32", lanes); };
    // That one has no index of its own.
    const Value beyond =
        ir_.select(ir_.compare("icmp eq", index, last), constant(~std::uint64_t{0}), index);
    return ir_.select(taken, beyond, constant(last));
  }

  void indexed(std::uint32_t b, const Value& mask) {
    const BasicBlock& block = flow_.blocks[b];
    const std::size_t count = block.successors.size();
    if (!analysis_.divergent[b]) {
      const Value index = index_of(block, 1);
      const std::string beyond = ir_.label("beyond");
      std::vector<std::string> labels;
      std::string cases;
      for (std::size_t i = 0; i < count; ++i) {
        labels.push_back(ir_.label("case"));
        cases += fmt::format(" i32 {}, label %{}", i, labels.back());
      }
      ir_.line(fmt::format("switch {}, label %{} [{} ]", index.typed(), beyond, cases));
      for (std::size_t i = 0; i < count; ++i) {
        ir_.begin_block(labels[i]);
        leave(b, {{block.successors[i], mask}});
      }
      ir_.begin_block(beyond);
      refuse_index(b, mask);
      return ir_.line("unreachable");
    }
    const Value index = index_of(block, kLanes);
    const Value wrong = ir_.binary("and", ir_.to_mask(ir_.compare("icmp uge", index, count)), mask);
    const std::string beyond = ir_.label("beyond");
    const std::string within = ir_.label("within");
    ir_.branch(ir_.compare("icmp ne", wrong, 0), beyond, within, true);
    ir_.begin_block(beyond);
    refuse_index(b, wrong);
    ir_.line("unreachable");
    ir_.begin_block(within);
    std::vector<Way> ways;
    Value rest = mask;
    for (std::size_t i = 0; i < count; ++i) {
      const Value matching =
          i + 1 == count ? rest
                         : ir_.binary("and", ir_.to_mask(ir_.compare("icmp eq", index, i)), mask);
      rest = ir_.binary("and", rest, ir_.binary("xor", matching, ~std::uint64_t{0}));
      ways.push_back({block.successors[i], matching});
    }
    leave(b, ways);
  }

  // An index past the targets is undefined by PTX: it must not lead the host astray.
  void refuse_index(std::uint32_t b, const Value& lanes) {
    const auto number = [](auto value) {
      return Ir::constant(static_cast<std::uint64_t>(value), "i32", 1);
    };
    writer_.call("emu_fault", {number(runtime::FaultKind::bad_instruction), lanes,
                               number(flow_.blocks[b].line)});
  }

  // Sends the lanes of `from` on their ways (one way: all of them; several: each may get none) and
  // jumps to what runs next.
  void leave(std::uint32_t from, const std::vector<Way>& ways) {
    note_round_of_loop(from, ways);
    yield_before_waiting_loops(from, ways);
    if (!writer_.function().entry && ways[0].target == flow_.exit()) return go_back(from, ways[0]);
    std::vector<std::uint32_t> targets;
    targets.reserve(ways.size());
    for (const Way& way : ways) targets.push_back(way.target);
    const std::vector<NextBlock> order = next_blocks(flow_, analysis_.pending[from], targets);
    const bool leaves = std::ranges::find(targets, flow_.exit()) != targets.end();
    if (ways.size() == 1 && order.size() == 1 && !leaves) {
      Value lanes = ways[0].lanes;
      if (analysis_.pending[from].contains(targets[0])) {
        lanes = ir_.binary("or", lanes, take_waiting(targets[0]));
      }
      return run_next(targets[0], lanes);
    }
    IndexSet awaited = analysis_.pending[from];  // where lanes may wait so far
    for (const Way& way : ways) {
      if (way.target == flow_.exit()) {
        retire(way.lanes);
        continue;
      }
      Value lanes = way.lanes;
      if (awaited.contains(way.target)) {
        lanes = ir_.binary("or", ir_.load(waiting(way.target), "i32", 1, 4), lanes);
      }
      ir_.store(lanes, waiting(way.target), 4);
      awaited.insert(way.target);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto [block, once_gathered] = order[i];
      if (!leaves && i + 1 == order.size()) return run_next(block, take_waiting(block));
      const std::string take = ir_.label("take");
      const std::string next = ir_.label("next");
      const Value lanes = ir_.load(waiting(block), "i32", 1, 4);
      Value runs = ir_.compare("icmp ne", lanes, 0);
      if (once_gathered) runs = ir_.binary("and", runs, have_gathered(block, lanes));
      ir_.branch(runs, take, next);
      ir_.begin_block(take);
      run_next(block, take_waiting(block));
      ir_.begin_block(next);
    }
    ir_.line(writer_.parts_frame() == nullptr ? "ret void" : "ret i32 -1");
  }

  // Whether no lane that those need that wait for the block is elsewhere.
  Value have_gathered(std::uint32_t block, const Value& lanes) {
    const Instruction& instruction = writer_.function().body[flow_.blocks[block].first];
    const Value named = analysis_.gathers_all[block] ? Ir::constant(~std::uint64_t{0}, "i32", 1)
                                                     : lanes_named_by(writer_, instruction, lanes);
    const Value absent = ir_.binary("and", ir_.binary("and", named, live()),
                                    ir_.binary("xor", lanes, ~std::uint64_t{0}));
    return ir_.compare("icmp eq", absent, 0);
  }

  // From a function that was called, to its caller: by ret or the end of the text, or by exit,
  // after which the thread has ended.
  void go_back(std::uint32_t from, const Way& way) {
    const std::vector<Instruction>& body = writer_.function().body;
    const std::uint32_t last = flow_.blocks[from].last;
    const bool ends = last < body.size() && body[last].opcode == Opcode::exit && way.taken;
    if (ends) retire(way.lanes);
    ir_.line(ends ? "ret i32 1" : "ret i32 0");
  }

  // Lanes that exit no longer count at barriers.
  void retire(const Value& lanes) {
    const Value field = writer_.context_field(offsetof(runtime::WarpContext, live));
    ir_.store(ir_.binary("and", live(), ir_.binary("xor", lanes, ~std::uint64_t{0})), field, 4);
  }

  // The lanes that run a block now.
  Value running(std::uint32_t block) {
    if (const PartsFrame* frame = writer_.parts_frame()) {
      return writer_.in_parts_frame(frame->running + std::uint64_t{block} * 4);
    }
    const auto found = running_.find(block);
    if (found != running_.end()) return found->second;
    return running_[block] = ir_.slot("i32", 1);
  }

  // The lanes that wait at a block. In kernels of many blocks they are kept in memory: as values of
  // their own, each would be carried through every block there is, and compiling would take the
  // square of the number of blocks.
  Value waiting(std::uint32_t block) {
    if (const PartsFrame* frame = writer_.parts_frame()) {
      return writer_.in_parts_frame(frame->waiting + std::uint64_t{block} * 4);
    }
    constexpr std::uint32_t kMostInRegisters = 128;
    if (flow_.exit() > kMostInRegisters) {
      if (!waiting_area_) waiting_area_ = ir_.area(std::uint64_t{flow_.exit()} * 4);
      return ir_.pointer_offset(*waiting_area_, std::uint64_t{block} * 4);
    }
    const auto found = waiting_.find(block);
    if (found != waiting_.end()) return found->second;
    return waiting_[block] = ir_.slot("i32", 1);
  }

  Value take_waiting(std::uint32_t block) {
    const Value lanes = ir_.load(waiting(block), "i32", 1, 4);
    ir_.store(Ir::constant(0, "i32", 1), waiting(block), 4);
    return lanes;
  }

  void run_next(std::uint32_t block, const Value& lanes) {
    if (!runs_full(block)) ir_.store(lanes, running(block), 4);
    if (writer_.parts_frame() == nullptr || part_of(block) == part_) return ir_.jump(name(block));
    entries_[part_of(block)].insert(block);
    ir_.line(fmt::format("ret i32 {}", block));
  }

  [[nodiscard]] std::size_t part_of(std::uint32_t block) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(firsts_, block) - firsts_.begin()) - 1;
  }

  [[nodiscard]] static std::string header_of_part(const std::string& kernel, std::size_t part) {
    return fmt::format("i32 @{}.{}(ptr noalias %ctx, ptr noalias {}, i32 %block)", kernel, part,
                       PartsFrame::pointer().name);
  }

  // Goes where %block is one of these.
  template <typename Label>
  [[nodiscard]] static std::string switch_to(const std::set<std::uint32_t>& blocks,
                                             const std::string& otherwise, const Label& label) {
    std::string cases;
    for (const std::uint32_t b : blocks) cases += fmt::format(" i32 {}, label %{}", b, label(b));
    return fmt::format("switch i32 %block, label %{} [{} ]", otherwise, cases);
  }

  // The kernel itself: it calls the part that holds the block that runs next, until there is none.
  Code calls_of_parts(const std::string& kernel) {
    const PartsFrame& frame = *writer_.parts_frame();
    const std::string address = PartsFrame::pointer().name;
    ir_.line(fmt::format("{} = alloca [{} x i8], align {}", address, frame.bytes,
                         PartsFrame::kAlignment));
    ir_.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
    ir_.line(fmt::format("call void @llvm.memset.p0.i64(ptr {}, i8 0, i64 {}, i1 false)", address,
                         frame.zeros));
    if (!runs_full(0)) ir_.store(all(), running(0), 4);
    ir_.jump("first");
    ir_.begin_block("first");
    ir_.jump("next");
    ir_.begin_block("next");
    std::string ways = "[ 0, %first ]";
    std::set<std::uint32_t> blocks;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].empty()) continue;
      ways += fmt::format(", [ %from{0}, %part{0} ]", i);
      blocks.insert(entries_[i].begin(), entries_[i].end());
    }
    ir_.line("%block = phi i32 " + ways);
    ir_.line(switch_to(blocks, "done",
                       [&](std::uint32_t b) { return fmt::format("part{}", part_of(b)); }));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].empty()) continue;
      ir_.declare(fmt::format("declare i32 @{}.{}(ptr, ptr, i32)", kernel, i));
      ir_.begin_block(fmt::format("part{}", i));
      ir_.line(fmt::format("%from{0} = call i32 @{1}.{0}(ptr %ctx, ptr {2}, i32 %block)", i, kernel,
                           address));
      ir_.jump("next");
    }
    ir_.begin_block("done");
    ir_.line("ret void");
    return {ir_.function(fmt::format("void @{}(ptr noalias %ctx)", kernel)), ir_.declarations()};
  }

  // On the way back to the head of a loop: where the unit stands, should the loop never end.
  // Volatile, since nothing that LLVM sees reads it.
  void note_round_of_loop(std::uint32_t from, const std::vector<Way>& ways) {
    const bool is_back =
        std::ranges::any_of(ways, [&](const Way& way) { return way.target <= from; });
    if (!is_back || flow_.blocks[from].line == 0) return;
    ir_.store(Ir::constant(flow_.blocks[from].line, "i32", 1),
              writer_.context_field(offsetof(runtime::WarpContext, at_line)), 4, true);
  }

  // On the way back to the head of a loop that reads what other warps write, they get a turn.
  void yield_before_waiting_loops(std::uint32_t from, const std::vector<Way>& ways) {
    for (const Way& way : ways) {
      bool waits = false;
      for (std::uint32_t b = way.target; b <= from; ++b) waits = waits || may_wait_in(b);
      if (waits && hangs_on_others({way.target, from})) return yield();
    }
  }

  void yield() {
    writer_.note_suspension();
    writer_.call("emu_yield", {});
  }

  // An access to what may be shared memory, for which programs of old count on lanes in step: sums
  // over a warp without __syncwarp(). Threads that take turns there are in step from the last
  // barrier on.
  [[nodiscard]] static bool is_volatile_of_block(const Instruction& instruction) {
    const bool may_be_shared =
        instruction.space == ptx::Space::shared || instruction.space == ptx::Space::generic;
    return may_be_shared && instruction.has(ptx::Modifier::volatile_);
  }

  [[nodiscard]] bool hangs_on_others(const Loop& loop) const {
    const std::vector<Instruction>& body = writer_.function().body;
    const auto first = body.begin() + flow_.blocks[loop.head].first;
    const auto last = body.begin() + flow_.blocks[loop.end].last;
    return loop_exits_.hang_on_others(loop) || std::any_of(first, last, [&](const Instruction& i) {
             return calls_code(writer_.module(), i);
           });
  }

  // Whether the block, or a function that it calls, may wait.
  [[nodiscard]] bool may_wait_in(std::uint32_t b) const {
    const std::vector<Instruction>& body = writer_.function().body;
    return std::any_of(body.begin() + flow_.blocks[b].first, body.begin() + flow_.blocks[b].last,
                       [&](const Instruction& instruction) {
                         return may_wait(instruction) || calls_code(writer_.module(), instruction);
                       });
  }

  Writer& writer_;
  Ir& ir_;
  const ControlFlow& flow_;
  const Analysis& analysis_;
  const std::map<std::uint32_t, Collective>& collectives_;
  const Touches touches_;
  const LoopExits loop_exits_;
  std::map<std::uint32_t, Value> running_;  // slots, by block
  std::map<std::uint32_t, Value> waiting_;  // slots, of blocks where lanes may wait
  std::optional<Value> waiting_area_;
  // Of a body in parts: the first block of each, and where others enter it.
  std::vector<std::uint32_t> firsts_;
  std::vector<std::set<std::uint32_t>> entries_;
  std::size_t part_ = 0;
};

}  // namespace

Code write_body(Writer& writer, const std::map<std::uint32_t, Collective>& collectives,
                const std::string& header) {
  return Body(writer, collectives).whole(header);
}

std::vector<Code> write_parts(Writer& writer, const std::string& kernel,
                              const std::vector<std::uint32_t>& firsts) {
  const std::map<std::uint32_t, Collective> collectives;  // of threads alone
  return Body(writer, collectives).in_parts(kernel, firsts);
}

}  // namespace emulator::lower
