#include "emulator/runtime/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "emulator/runtime/random_bits.h"

namespace emulator::runtime {
namespace {

// What kernels ask for at most in aligned shared memory: tensor copies with a 128-byte swizzle need
// 1024.
constexpr std::size_t kSharedAlignment = 1024;
constexpr std::size_t kGuardBytes = 65536;
// From block to block the bits that shared memory begins with move on by one step, and begin again
// after the slack.
constexpr std::size_t kPatternStep = 8;
constexpr std::size_t kPatternSlack = 4096;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint32_t lanes_of_warp(std::uint32_t threads, std::uint32_t warp) {
  const std::uint32_t lanes = std::min(threads - warp * kWarpSize, kWarpSize);
  return lanes == kWarpSize ? ~0U : (1U << lanes) - 1;
}

}  // namespace

Block::Block() : warps_(std::make_unique<std::array<WarpContext, kMaxWarps>>()) {}

void Block::prepare(const Launch& launch, LaunchProgress& progress) {
  launch_ = &launch;
  progress_ = &progress;
  if (ended_ != warp_count_) forget_warps();
  const std::uint32_t threads = launch.thread_count();
  warp_count_ = (threads + kWarpSize - 1) / kWarpSize;
  ended_ = warp_count_;

  if (shared_pages_.size() < launch.shared_bytes || shared_pages_.data() == nullptr) {
    shared_pages_ =
        Reservation(rounded_up(launch.shared_bytes + 1U, kSharedAlignment), kGuardBytes);
  }
  if (shared_pattern_.size() < launch.shared_bytes + kPatternSlack) {
    shared_pattern_.resize(launch.shared_bytes + kPatternSlack);
    fill_with_random_bits(shared_pattern_.data(), shared_pattern_.size(), ++seed_);
  }
  const std::uint64_t stride = rounded_up(launch.local_bytes_per_thread, kLocalFrameAlignment);
  if (stride > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  const std::uint64_t local_bytes = stride * kWarpSize * warp_count_;
  if (local_pages_.size() < local_bytes) {
    local_pages_ = Reservation(local_bytes, kGuardBytes);
    fill_with_random_bits(local_pages_.data(), local_pages_.size(), ++seed_);
  }
  ranges_.assign(launch.sites.size(), Range());

  for (std::uint32_t w = 0; w < warp_count_; ++w) {
    WarpContext& warp = (*warps_)[w];
    warp.shared = shared_pages_.data();
    warp.params = launch.parameters.data();
    warp.local = local_pages_.data() + stride * kWarpSize * w;
    warp.ranges = ranges_.data();
    warp.block = this;
    warp.warp = w;
    std::ranges::copy(launch.block, warp.ntid);
    std::ranges::copy(launch.grid, warp.nctaid);
    warp.grid_workspace = launch.grid_workspace;
    warp.shared_bytes = launch.shared_bytes;
    warp.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    warp.local_stride = static_cast<std::uint32_t>(stride);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint32_t thread = w * kWarpSize + lane;
      warp.tid[0][lane] = thread % launch.block[0];
      warp.tid[1][lane] = thread / launch.block[0] % launch.block[1];
      warp.tid[2][lane] = thread / launch.block[0] / launch.block[1];
    }
  }
}

void Block::begin(std::uint64_t index) {
  const std::array<std::uint32_t, 3>& grid = launch_->grid;
  const std::array<std::uint32_t, 3> position = {
      static_cast<std::uint32_t>(index % grid[0]),
      static_cast<std::uint32_t>(index / grid[0] % grid[1]),
      static_cast<std::uint32_t>(index / grid[0] / grid[1])};
  for (std::uint32_t w = 0; w < warp_count_; ++w) {
    WarpContext& warp = (*warps_)[w];
    std::ranges::copy(position, warp.ctaid);
    warp.live = lanes_of_warp(launch_->thread_count(), w);
  }
  // Each block finds other bits: shared memory that a block reads before writing it must not look
  // like what the block before left, which may happen to be right. Copying a pattern costs a
  // quarter of making one.
  const std::size_t shift = index * kPatternStep % kPatternSlack;
  std::memcpy(shared_pages_.data(), shared_pattern_.data() + shift, launch_->shared_bytes);
  barriers_.reset(warp_count_);
  next_warp_ = 0;
  ended_ = 0;
  ready_begin_ = 0;
  ready_count_ = 0;
}

bool Block::run(std::uint64_t rounds) {
  yields_left_ = rounds * (warp_count_ - ended_);
  Fiber& first = next_fiber();
  if (&first != &thread_) Fiber::switch_to(thread_, first);
  running_ = nullptr;
  if (ended_ == warp_count_) return true;
  if (!progress_->stopped()) {
    if (yields_left_ == 0) return false;
    report_deadlock();
  }
  forget_warps();
  return true;
}

void Block::forget_warps() {
  idle_.clear();
  for (const auto& strand : strands_) {
    strand->fiber.restart();
    idle_.push_back(strand.get());
  }
  ended_ = warp_count_;
}

void Block::run_warps(void* block_pointer) {
  auto& block = *static_cast<Block*>(block_pointer);
  for (;;) {
    Strand& self = *block.running_;
    while (block.next_warp_ < block.warp_count_ && !block.progress_->stopped()) {
      const std::uint32_t warp = block.next_warp_++;
      self.warp = warp;
      block.strand_of_[warp] = &self;
      block.launch_->function(&(*block.warps_)[warp]);
      ++block.ended_;
      block.barriers_.warp_ended(warp);
      block.wake(block.barriers_.take_released());
    }
    block.idle_.push_back(&self);
    block.switch_away();
  }
}

bool Block::find_idle_strand() noexcept {
  if (!idle_.empty()) return true;
  try {
    idle_.reserve(strands_.size() + 1);
    strands_.push_back(std::make_unique<Strand>(*this));
    idle_.push_back(strands_.back().get());
    return true;
  } catch (const std::bad_alloc&) {
    // No exception may pass through compiled code, which may be what is being left here.
    return false;
  }
}

Fiber& Block::next_fiber() {
  if (next_warp_ < warp_count_) {
    if (!find_idle_strand()) {
      progress_->report({FaultKind::stack, "no memory is left for the stack of one more warp"});
      return thread_;
    }
    running_ = idle_.back();
    idle_.pop_back();
    return running_->fiber;
  }
  if (ready_count_ != 0) {
    running_ = ready_[ready_begin_];
    ready_begin_ = (ready_begin_ + 1) % kMaxWarps;
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

void Block::wake(std::uint32_t warps) {
  for (; warps != 0; warps &= warps - 1) {
    ready_[(ready_begin_ + ready_count_) % kMaxWarps] =
        strand_of_[static_cast<unsigned>(std::countr_zero(warps))];
    ++ready_count_;
  }
}

std::uint32_t Block::wait(const WarpContext& context, const Arrival& arrival) {
  const Barriers::Outcome outcome = barriers_.arrive(arrival);
  if (outcome == Barriers::Outcome::refused) {
    progress_->report({FaultKind::barrier, barriers_.refusal() + ", by " + thread_name(context, 0) +
                                               " of " + block_name(context) + ", PTX line " +
                                               std::to_string(arrival.line)});
    abandon();
  }
  wake(barriers_.take_released());
  if (outcome == Barriers::Outcome::waits) {
    switch_away();
    if (progress_->stopped()) abandon();
  }
  return barriers_.result(arrival.warp);
}

void Block::yield() {
  if (progress_->stopped()) abandon();
  const bool alone = next_warp_ == warp_count_ && ready_count_ == 0;
  if (--yields_left_ == 0) {
    wake(1U << running_->warp);
    Fiber::switch_to(running_->fiber, thread_);
  } else if (!alone) {
    wake(1U << running_->warp);
    switch_away();
  }
  if (progress_->stopped()) abandon();
}

void Block::abandon() { Fiber::leave(running_->fiber, thread_); }

void Block::report_deadlock() {
  // Every warp that has not ended waits. The barrier of the first one is the one to explain.
  const std::uint32_t waiting = barriers_.waiting();
  const auto first = static_cast<std::uint32_t>(std::countr_zero(waiting));
  const Barriers::Wait here = barriers_.wait_of(first);
  const std::uint32_t with_it = barriers_.waiting_at(here.id);
  const std::uint32_t elsewhere = waiting & ~with_it;

  std::string text = barrier_name(here.id) + " can never fill: of ";
  const std::uint32_t awaited = barriers_.awaited_threads(here.id);
  text += awaited == 0 ? std::string("the block's threads") : std::to_string(awaited) + " threads";
  text += " only those of ";
  text += std::to_string(std::popcount(with_it));
  text += std::popcount(with_it) == 1 ? " warp wait" : " warps wait";
  const WarpContext& waiter = (*warps_)[first];
  text += " there (" + thread_name(waiter, 0) + " of " + block_name(waiter) + " at PTX line " +
          std::to_string(here.line) + ")";
  if (elsewhere != 0) {
    const auto other = static_cast<std::uint32_t>(std::countr_zero(elsewhere));
    const Barriers::Wait there = barriers_.wait_of(other);
    text += "; missing is " + thread_name((*warps_)[other], 0) + ", which waits at " +
            barrier_name(there.id) + " at PTX line " + std::to_string(there.line);
  } else {
    std::uint32_t ended = 0;
    while (ended < warp_count_ && ((waiting >> ended) & 1U) != 0) ++ended;
    text += ended < warp_count_
                ? "; missing is " + thread_name((*warps_)[ended], 0) + ", which has ended"
                : "; missing are more threads than the block has";
  }
  progress_->report({FaultKind::barrier, std::move(text)});
}

}  // namespace emulator::runtime
