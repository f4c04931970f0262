#include "runtime/cluster.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace emulator::runtime {
namespace {

// What kernels ask for at most in aligned shared memory: tensor copies with a 128-byte swizzle need
// 1024.
constexpr std::size_t kSharedAlignment = 1024;
constexpr std::size_t kGuardBytes = 65536;
// Blocks of a cluster wait for each other more often than not.
constexpr std::uint64_t kRoundsPerTurn = 4;

std::size_t rounded_up(std::size_t value) {
  return (value + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
}

}  // namespace

void Cluster::prepare(const Launch& launch, LaunchProgress& progress, GatheredSums& sums) {
  launch_ = &launch;
  progress_ = &progress;
  size_ = launch.cluster_size();
  // The windows of the blocks lie behind each other (abi.h).
  const std::size_t bytes =
      std::size_t{size_ - 1} * kSharedWindow + rounded_up(launch.shared_bytes + 1U);
  if (shared_pages_.size() < bytes) shared_pages_ = Reservation(bytes, kGuardBytes);
  while (blocks_.size() < size_) blocks_.push_back(std::make_unique<Block>());
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    blocks_[rank]->prepare(launch, progress, *this, sums, shared_pages_.data(), rank);
    progress.watch(*blocks_[rank]);
  }
}

// Of the cluster with that number.
std::array<std::uint32_t, 3> Cluster::first_block(std::uint64_t index) const {
  const std::array<std::uint32_t, 3>& cluster = launch_->cluster;
  std::array<std::uint32_t, 3> clusters{};
  for (std::size_t i = 0; i < clusters.size(); ++i)
    clusters.at(i) = launch_->grid.at(i) / cluster.at(i);
  std::array<std::uint32_t, 3> position = position_in(clusters, index);
  for (std::size_t i = 0; i < position.size(); ++i) position.at(i) *= cluster.at(i);
  return position;
}

void Cluster::begin(std::uint64_t index) {
  triggered_ = 0;
  goes_on_ = false;
  if (size_ == 1) return blocks_[0]->begin(position_in(launch_->grid, index));
  const std::array<std::uint32_t, 3> first = first_block(index);
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    std::array<std::uint32_t, 3> position = position_in(launch_->cluster, rank);
    for (std::size_t i = 0; i < position.size(); ++i) position.at(i) += first.at(i);
    blocks_[rank]->begin(position);
  }
}

CancelResponse Cluster::cancel_another() {
  const Portion taken = progress_->take(1);
  if (taken.empty()) return {};
  if (Succession* const succession = progress_->succession()) succession->trigger(size_);
  return {first_block(taken.next), 1};
}

bool Cluster::run(std::uint64_t rounds, Portion& following) {
  // It shares no barrier with other blocks, and nobody waits for what it triggers.
  if (size_ == 1 && progress_->succession() == nullptr) {
    return blocks_[0]->run(rounds, following) == Block::Outcome::ended;
  }
  Portion none;
  bool ended = true;
  bool waits = true;
  const bool rest = holds();
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    Block& block = *blocks_[rank];
    if (block.has_ended()) continue;
    if (rest && block.has_triggered()) {
      ended = false;
      continue;
    }
    const Block::Outcome outcome = block.run(size_ == 1 ? rounds : kRoundsPerTurn, none);
    if (outcome == Block::Outcome::ended && !block.has_triggered()) block_triggered();
    ended = ended && outcome == Block::Outcome::ended;
    waits = waits && outcome != Block::Outcome::yielded;
  }
  if (ended) return true;
  // The last to arrive at the cluster's barrier lets those go on that had their turn before it.
  const auto can_go_on = [&](const auto& block) {
    return block->can_go_on() && !(rest && block->has_triggered());
  };
  const auto own = blocks_ | std::views::take(size_);
  if (!waits || rests() || std::ranges::any_of(own, can_go_on)) return false;
  // They wait for one that rests.
  const auto rests_alone = [&](const auto& block) {
    return rest && block->has_triggered() && !block->has_ended();
  };
  if (std::ranges::any_of(own, rests_alone)) {
    go_on();
    return false;
  }
  for (const auto& block : own) {
    if (!block->has_ended()) block->report_deadlock();
  }
  return true;
}

std::uint64_t Cluster::keep_stacks(std::uint64_t most) {
  std::uint64_t kept = 0;
  for (const auto& block : blocks_) kept += block->keep_stacks(most - kept);
  return kept;
}

bool Cluster::awaits_launches() const {
  return std::ranges::any_of(blocks_ | std::views::take(size_),
                             [](const auto& block) { return block->awaits_launches(); });
}

bool Cluster::block_triggered() {
  Succession* const succession = progress_->succession();
  if (succession == nullptr) return false;
  ++triggered_;
  succession->trigger();
  return holds();
}

void Cluster::block_arrived() {
  const auto waits = [](const auto& block) { return block->has_ended() || block->is_at_cluster(); };
  if (!std::ranges::all_of(blocks_ | std::views::take(size_), waits)) return;
  for (const auto& block : blocks_ | std::views::take(size_)) block->leave_cluster_barrier();
}

}  // namespace emulator::runtime
