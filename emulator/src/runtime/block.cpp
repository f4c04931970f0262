#include "runtime/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <ranges>
#include <string>
#include <utility>

#include "runtime/cluster.h"
#include "runtime/deadlock.h"
#include "runtime/gathered_sums.h"
#include "runtime/random_bits.h"

namespace emulator::runtime {
namespace {

constexpr std::size_t kGuardBytes = 65536;
// From block to block the bits that shared memory begins with move on by one step, and begin again
// after the slack.
constexpr std::size_t kPatternStep = 8;
constexpr std::size_t kPatternSlack = 4096;
// And from launch to launch by so many, which has no divisor in common with their number.
constexpr std::uint64_t kLaunchSteps = 37;
// Of local memory so much is filled with random bits: more is only there for deep recursion.
constexpr std::size_t kFilledLocalBytes = std::size_t{16} << 20;
// An activation of a function takes 16 bytes of local memory at least, and seldom as many times
// more of the host's stack as this. Where it does, calls are refused that much earlier.
constexpr std::size_t kHostBytesPerLocalByte = 16;
// What is left of the host's stack when a call is refused: room for the function's own frame and
// for the deepest entry point, which formats a number.
constexpr std::size_t kStackReserve = std::size_t{256} << 10;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

Block::Block() = default;

void Block::prepare(const Launch& launch, LaunchProgress& progress, Cluster& cluster,
                    GatheredSums& sums, std::uint8_t* shared, std::uint32_t rank) {
  launch_ = &launch;
  progress_ = &progress;
  cluster_ = &cluster;
  sums_ = &sums;
  gathered_count_ = 0;
  shared_ = shared + std::size_t{rank} * kSharedWindow;
  ++launches_;
  if (ended_ != unit_count_) forget_units();
  barriers_.call_lines(launch.lines);
  by_thread_ = launch.unit == Unit::thread;
  in_cluster_ = launch.cluster_size() > 1;
  const std::uint32_t threads = launch.thread_count();
  const std::uint32_t warps = launch.warp_count();
  unit_count_ = launch.unit_count();
  ended_ = unit_count_;
  prepare_stacks();

  if (shared_pattern_.size() < launch.shared_bytes + kPatternSlack) {
    shared_pattern_.resize(launch.shared_bytes + kPatternSlack);
    fill_with_random_bits(shared_pattern_.data(), shared_pattern_.size(), ++seed_);
  }
  const std::uint64_t stride = rounded_up(launch.local_bytes_per_thread, kLocalFrameAlignment);
  if (stride > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  const std::uint64_t local_bytes = stride * kWarpSize * warps;
  if (local_pages_.size() < local_bytes) {
    local_pages_ = Reservation(local_bytes, kGuardBytes);
    fill_with_random_bits(local_pages_.data(), std::min(local_pages_.size(), kFilledLocalBytes),
                          ++seed_);
  }
  ranges_.assign(launch.sites.size(), Range());
  if (progress.succession() != nullptr) awaiting_launches_.reserve(unit_count_);

  if (by_thread_) {
    if (!threads_) threads_ = std::make_unique<Threads>();
    threads_->values.resize(threads);
  }
  if (contexts_.size() < unit_count_) contexts_.resize(unit_count_);
  for (std::uint32_t unit = 0; unit < unit_count_; ++unit) {
    prepare_context(unit);
    contexts_[unit].shared = shared;
    contexts_[unit].cluster_rank = rank;
    contexts_[unit].local_stride = static_cast<std::uint32_t>(stride);
    contexts_[unit].local = local_pages_.data() + stride * kWarpSize * contexts_[unit].warp;
  }
}

void Block::prepare_context(std::uint32_t unit) {
  const Launch& launch = *launch_;
  WarpContext& context = contexts_[unit];
  context.unit = unit;
  note_standing(context, Standing::ended, 0);
  context.warp = by_thread_ ? unit / kWarpSize : unit;
  context.lane = by_thread_ ? unit % kWarpSize : 0;
  context.own = by_thread_ ? &threads_->values[unit] : nullptr;
  context.gathering = by_thread_ ? &threads_->gathering : nullptr;
  context.params = launch.parameters.data();
  context.ranges = ranges_.data();
  context.block = this;
  context.sums = sums_;
  std::ranges::copy(launch.block, context.ntid);
  std::ranges::copy(launch.grid, context.nctaid);
  std::ranges::copy(launch.cluster, context.cluster);
  context.cluster_size = launch.cluster_size();
  context.grid_workspace = launch.grid_workspace;
  context.shared_bytes = launch.shared_bytes;
  context.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  if (context.lane != 0) {
    std::memcpy(context.tid, contexts_[unit - 1].tid, sizeof context.tid);
    return;
  }
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t thread = context.warp * kWarpSize + lane;
    context.tid[0][lane] = thread % launch.block[0];
    context.tid[1][lane] = thread / launch.block[0] % launch.block[1];
    context.tid[2][lane] = thread / launch.block[0] / launch.block[1];
  }
}

void Block::prepare_stacks() {
  std::size_t bytes = Fiber::kStackBytes;
  if (by_thread_) {
    bytes += launch_->local_bytes_per_thread * kHostBytesPerLocalByte;
  }
  if (bytes <= stack_bytes_) return;
  idle_.clear();
  strands_.clear();
  stack_bytes_ = bytes;
}

std::uint64_t Block::keep_stacks(std::uint64_t most) {
  if (strands_.size() <= most) return strands_.size();
  strands_.resize(most);
  // All are idle in a block that has ended. Those made first are taken first.
  idle_.clear();
  for (const auto& strand : strands_ | std::views::reverse) idle_.push_back(strand.get());
  return most;
}

void Block::begin(const std::array<std::uint32_t, 3>& position) {
  const std::array<std::uint32_t, 3>& grid = launch_->grid;
  const std::uint64_t index =
      (std::uint64_t{position[2]} * grid[1] + position[1]) * grid[0] + position[0];
  for (std::uint32_t unit = 0; unit < unit_count_; ++unit) {
    WarpContext& context = contexts_[unit];
    std::memcpy(context.ctaid, position.data(), sizeof context.ctaid);
    note_standing(context, Standing::not_begun, 0);
    context.live = by_thread_ ? 1U << context.lane : ~0U;
  }
  if (by_thread_) {
    threads_->meetings.reset(unit_count_);
  } else {
    contexts_[unit_count_ - 1].live = live_lanes(launch_->thread_count(), unit_count_ - 1);
  }
  // Each block finds other bits: shared memory that a block reads before writing it must not look
  // like what the block before left, which may happen to be right. Copying a pattern costs a
  // quarter of making one.
  // So does the same block of the next launch: what depends on them differs between repeats.
  const std::size_t shift = (index + launches_ * kLaunchSteps) * kPatternStep % kPatternSlack;
  std::memcpy(shared_, shared_pattern_.data() + shift, launch_->shared_bytes);
  barriers_.reset(unit_count_, in_cluster_);
  products_.reset(launch_->warp_count());
  registers_.reset(launch_->warp_count());
  next_unit_ = 0;
  ended_ = 0;
  ready_begin_ = 0;
  ready_count_ = 0;
  triggered_ = false;
  resting_ = nullptr;
  awaiting_launches_.clear();
}

bool Block::begin_following() {
  if (ended_ != unit_count_ || following_->empty() || progress_->stopped()) return false;
  begin(position_in(launch_->grid, following_->next++));
  yields_left_ = rounds_ * unit_count_;
  return true;
}

Block::Outcome Block::run(std::uint64_t rounds, Portion& following) {
  if (awaits_launches() && progress_->succession()->is_first()) wake_awaiting();
  rounds_ = rounds;
  following_ = &following;
  yields_left_ = rounds * (unit_count_ - ended_);
  Fiber& first = first_fiber();
  if (&first != &thread_) Fiber::switch_to(thread_, first);
  running_ = nullptr;
  if (ended_ == unit_count_) return Outcome::ended;
  if (!progress_->stopped()) {
    if (yields_left_ == 0 || can_go_on() || awaits_launches()) return Outcome::yielded;
    if (in_cluster_ && !barriers_.waiting_at(kClusterBarrier).empty()) return Outcome::waits;
    report_deadlock();
  }
  forget_units();
  return Outcome::ended;
}

void Block::report_deadlock() {
  Fault fault = deadlock_fault({contexts_.data(), unit_count_}, barriers_,
                               by_thread_ ? &threads_->meetings : nullptr);
  UnitPositions positions{.unit = launch_->unit};
  add_positions(positions);
  fault.text += ". In all: " + positions.text(launch_->lines);
  progress_->report(std::move(fault));
}

void Block::leave_cluster_barrier() {
  barriers_.leave_cluster();
  wake_released();
}

void Block::forget_units() {
  idle_.clear();
  resting_ = nullptr;
  awaiting_launches_.clear();
  for (const auto& strand : strands_) {
    strand->fiber.restart();
    idle_.push_back(strand.get());
  }
  ended_ = unit_count_;
}

void Block::run_units(void* block_pointer) {
  auto& block = *static_cast<Block*>(block_pointer);
  for (;;) {
    Strand& self = *block.running_;
    do {
      while (block.next_unit_ < block.unit_count_ && !block.progress_->stopped()) {
        block.run_unit(self);
      }
    } while (block.begin_following());
    block.idle_.push_back(&self);
    block.switch_away();
  }
}

// Beside the kernel itself this is what each warp costs.
void Block::run_unit(Strand& strand) {
  const std::uint32_t place = next_unit_++;
  const std::uint32_t unit =
      launch_->order == UnitOrder::ascending ? place : unit_count_ - 1 - place;
  strand.unit = unit;
  strand_of_[unit] = &strand;
  WarpContext& context = contexts_[unit];
  context.stack_end = strand.fiber.stack_bottom() + kStackReserve;
  note_standing(context, Standing::running);
  launch_->function(&context);
  ++ended_;
  note_standing(context, Standing::ended);
  barriers_.unit_ended(unit);
  if (barriers_.any_begun() || in_cluster_ || by_thread_) tell_of_end(unit);
}

void Block::tell_of_end(std::uint32_t unit) {
  wake_released();
  if (in_cluster_ && (is_at_cluster() || has_ended())) cluster_->block_arrived();
  if (!by_thread_) return;
  for (const std::uint32_t leader : threads_->meetings.thread_ended(unit)) wake(leader);
}

bool Block::warp_has_ended(std::uint32_t warp) const {
  const std::uint32_t units = by_thread_ ? kWarpSize : 1;
  const std::uint32_t first = warp * units;
  return std::ranges::all_of(
      std::span(contexts_).subspan(first, units), [](const WarpContext& context) {
        return context.standing == static_cast<std::uint32_t>(Standing::ended);
      });
}

bool Block::find_idle_strand() noexcept {
  if (!idle_.empty()) return true;
  try {
    idle_.reserve(strands_.size() + 1);
    strands_.push_back(std::make_unique<Strand>(*this, stack_bytes_));
    idle_.push_back(strands_.back().get());
    return true;
  } catch (const std::bad_alloc&) {
    // No exception may pass through compiled code, which may be what is being left here.
    return false;
  }
}

Fiber& Block::next_fiber() {
  if (next_unit_ < unit_count_) {
    if (!find_idle_strand()) {
      progress_->report({FaultKind::stack, "no memory is left for one more stack"});
      return thread_;
    }
    running_ = idle_.back();
    idle_.pop_back();
    return running_->fiber;
  }
  if (ready_count_ != 0) {
    running_ = ready_[ready_begin_];
    ready_begin_ = (ready_begin_ + 1) % kMaxUnits;
    --ready_count_;
    return running_->fiber;
  }
  return thread_;
}

void Block::switch_away() {
  Fiber& self = running_->fiber;
  Fiber& next = progress_->stopped() ? thread_ : next_fiber();
  if (&next != &self) Fiber::switch_to(self, next);
}

void Block::wake(std::uint32_t unit) {
  ready_[(ready_begin_ + ready_count_) % kMaxUnits] = strand_of_[unit];
  ++ready_count_;
}

void Block::wake_released() {
  for (const std::uint32_t unit : barriers_.released()) wake(unit);
  barriers_.forget_released();
}

// The strings must be gone before the block is abandoned.
[[gnu::noinline]] void Block::report_refusal(const WarpContext& context, std::uint32_t line) {
  progress_->report({.kind = FaultKind::barrier,
                     .text = barriers_.refusal() + by_thread(context, context.lane, line),
                     .line = line,
                     .thread = fault_thread(context, context.lane)});
}

std::uint32_t Block::wait(const WarpContext& context, const Arrival& arrival) {
  const Barriers::Outcome outcome = barriers_.arrive(arrival);
  if (outcome == Barriers::Outcome::refused) {
    report_refusal(context, arrival.line);
    abandon();
  }
  wake_released();
  if (is_at_cluster()) cluster_->block_arrived();
  if (outcome == Barriers::Outcome::waits) {
    note_standing(contexts_[arrival.unit], Standing::at_barrier, arrival.line);
    switch_away();
    if (progress_->stopped()) abandon();
    note_standing(contexts_[arrival.unit], Standing::running);
  }
  return barriers_.result(arrival.unit);
}

std::uint32_t Block::meet(const MeetingArrival& arrival, std::uint32_t operands) {
  if (progress_->stopped()) abandon();
  std::uint32_t lanes = threads_->meetings.arrive(arrival);
  if (lanes == 0) {
    note_standing(contexts_[arrival.thread], Standing::at_meeting, arrival.line);
    switch_away();
    if (progress_->stopped()) abandon();
    note_standing(contexts_[arrival.thread], Standing::running);
    lanes = threads_->meetings.take_lead(arrival.thread);
  }
  const std::size_t first = arrival.thread - arrival.thread % kWarpSize;
  const ThreadValues* warp = &threads_->values[first];
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    for (std::uint32_t i = 0; i < operands; ++i) {
      threads_->gathering.operand[i][lane] = warp[lane].operand[i];
    }
  }
  return lanes;
}

void Block::deal(std::uint32_t lanes, std::uint32_t results) {
  const std::uint32_t first = running_->unit - running_->unit % kWarpSize;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    for (std::uint32_t i = 0; i < results; ++i) {
      threads_->values[first + lane].result[i] = threads_->gathering.result[i][lane];
    }
    if (first + lane != running_->unit) wake(first + lane);
  }
}

void Block::yield() {
  if (progress_->stopped()) abandon();
  const bool alone = next_unit_ == unit_count_ && ready_count_ == 0;
  if (--yields_left_ == 0) {
    wake(running_->unit);
    Fiber::switch_to(running_->fiber, thread_);
  } else if (!alone) {
    wake(running_->unit);
    switch_away();
  }
  if (progress_->stopped()) abandon();
}

void Block::await_launches(std::uint32_t unit, std::uint32_t line) {
  if (progress_->stopped()) abandon();
  const Succession* const succession = progress_->succession();
  if (succession == nullptr || succession->is_first()) return;
  awaiting_launches_.push_back(unit);
  note_standing(contexts_[unit], Standing::at_launches, line);
  switch_away();
  if (progress_->stopped()) abandon();
  note_standing(contexts_[unit], Standing::running);
}

void Block::wake_awaiting() {
  for (const std::uint32_t unit : awaiting_launches_) wake(unit);
  awaiting_launches_.clear();
}

void Block::trigger() {
  if (progress_->stopped()) abandon();
  if (triggered_ || progress_->succession() == nullptr) return;
  triggered_ = true;
  if (!cluster_->block_triggered()) return;
  resting_ = running_;
  Fiber::switch_to(running_->fiber, thread_);
  if (progress_->stopped()) abandon();
}

Fiber& Block::first_fiber() {
  if (resting_ == nullptr) return next_fiber();
  // Before others begin, which then use its stack.
  running_ = std::exchange(resting_, nullptr);
  return running_->fiber;
}

void LaunchProgress::add_positions(UnitPositions& positions) {
  const std::lock_guard lock(mutex_);
  for (Block* block : watched_) block->add_positions(positions);
}

void Block::begin_gathering(std::uint32_t site) {
  const Range range = ranges_[site];
  if (gathered(range.begin) != nullptr) return;
  if (gathered_count_ == gathered_.size()) return sums_->stop();
  gathered_.at(gathered_count_++) = range;
  // Every other access to it is to come to touch() first.
  for (Range& other : ranges_) {
    if (other.begin < range.end && range.begin < other.end) other = Range();
  }
  ranges_[site] = range;
}

const Range* Block::gathered(std::uint64_t address) const {
  for (std::size_t i = 0; i < gathered_count_; ++i) {
    const Range& range = gathered_.at(i);
    if (address >= range.begin && address < range.end) return &range;
  }
  return nullptr;
}

void Block::touch(const Range& range) {
  if (gathered(range.begin) == nullptr) return;
  gathered_count_ = 0;
  sums_->stop();
}

void Block::abandon() { Fiber::leave(running_->fiber, thread_); }

}  // namespace emulator::runtime
