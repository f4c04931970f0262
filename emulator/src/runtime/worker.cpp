#include "runtime/worker.h"

#include <algorithm>
#include <new>
#include <span>
#include <thread>
#include <utility>

namespace emulator::runtime {
namespace {

// A block whose warps have yielded this often, each, is taken to wait for another block. Warps also
// yield in loops of atomic operations that are getting on: setting up a second block costs as much
// as some hundred rounds, so that the mistake at most doubles the cost of a block.
constexpr std::uint64_t kPatience = 256;
// Among several, each gets a short turn: most of them find at once that they have to wait on.
constexpr std::uint64_t kRoundsPerTurn = 8;
// So many stacks, at most, are for blocks that may wait for launches before theirs: most of them do
// so at once, and to go on in each costs as much as to begin it later.
constexpr std::uint64_t kMostWaiting = 256;
// Blocks taken at once: enough that the shared counter does not matter, few enough that the workers
// end together, and that blocks which wait for those before them find that these have begun.
constexpr std::uint64_t kPortionsPerWorker = 64;
constexpr std::uint64_t kLargestPortion = 16;
// Where none waits, more. As a rule blocks side by side work on memory side by side, which the
// processor then fetches ahead: up to a third of the time of a simple kernel.
constexpr std::uint64_t kLargestPortionWithoutWaits = 256;

}  // namespace

void Worker::run(const Launch& launch, LaunchProgress& progress, std::uint64_t workers) {
  begin(launch, progress, workers, launch.kept_stacks);
  for (Turn last = turn(); last != Turn::over; last = turn()) {
    if (last == Turn::idle) std::this_thread::yield();
  }
  end();
}

void Worker::begin(const Launch& launch, LaunchProgress& progress, std::uint64_t workers,
                   std::uint64_t kept_stacks) {
  launch_ = &launch;
  progress_ = &progress;
  portion_ =
      std::clamp<std::uint64_t>(launch.cluster_count() / (workers * kPortionsPerWorker), 1,
                                launch.may_suspend ? kLargestPortion : kLargestPortionWithoutWaits);
  kept_stacks_ = kept_stacks;
  idle_turns_ = 0;
  own_ = {};
  under_way_ = prepared_ = 0;
  // Blocks of a cluster reach each other's memory, and wait for each other in many ways.
  sums_.begin(launch.cluster_size() == 1);
}

Worker::Turn Worker::turn() {
  if (under_way_ == 0) {
    if (!begin_another()) return Turn::over;
    rounds_ = kPatience;
    // As long as none of them waits, one comes after the other on the same stack.
    if (rotate(rounds_, own_)) return Turn::moved;
  } else {
    Portion none;
    if (rotate(rounds_, none)) return Turn::moved;
  }
  // What they wait for may be among them.
  sums_.flush();
  rounds_ = kRoundsPerTurn;
  // One more at a time: where blocks do get on, if slowly, that keeps their number near the root of
  // the turns they take.
  if (begin_another()) return Turn::moved;
  return wake_resting() ? Turn::moved : Turn::idle;
}

void Worker::end() {
  sums_.flush();
  keep_stacks(kept_stacks_);
}

bool Worker::wake_resting() {
  Succession* const succession = progress_->succession();
  if (succession == nullptr || !succession->holds()) return false;
  const std::span under_way(clusters_.data(), under_way_);
  if (!own_.empty() || !progress_->all_taken()) {
    bool any = false;
    for (const auto& cluster : under_way) {
      any = any || cluster->rests();
      cluster->go_on();
    }
    return any;
  }
  const auto spins = [](const auto& cluster) {
    return !cluster->rests() && !cluster->awaits_launches();
  };
  if (!std::ranges::any_of(under_way, spins)) return false;
  if (++idle_turns_ > kPatience / kRoundsPerTurn) succession->let_go();
  return !succession->holds();
}

void Worker::keep_stacks(std::uint64_t most) {
  for (const auto& cluster : clusters_) most -= cluster->keep_stacks(most);
}

bool Worker::rotate(std::uint64_t rounds, Portion& following) {
  const std::size_t before = under_way_;
  for (std::size_t i = 0; i < under_way_;) {
    const bool ended = !clusters_[i]->rests() && clusters_[i]->run(rounds, following);
    if (ended) {
      std::swap(clusters_[i], clusters_[--under_way_]);
    } else {
      ++i;
    }
  }
  return under_way_ != before;
}

std::uint64_t Worker::most_under_way() const {
  const Succession* const succession = progress_->succession();
  if (succession == nullptr) return launch_->blocks_per_worker;
  if (succession->is_first()) {
    // Of a block that rests, one unit has begun as a rule.
    return succession->holds() ? std::min(launch_->blocks_per_worker, kept_stacks_)
                               : launch_->blocks_per_worker;
  }
  const std::uint64_t stacks = std::uint64_t{launch_->unit_count()} * launch_->cluster_size();
  return std::min(launch_->blocks_per_worker, std::min(kept_stacks_, kMostWaiting) / stacks);
}

bool Worker::begin_another() {
  if (under_way_ != 0 && under_way_ >= most_under_way()) return false;
  if (own_.empty()) own_ = progress_->take(portion_);
  if (own_.empty() || progress_->stopped()) return false;
  try {
    if (under_way_ == prepared_) prepare_another();
  } catch (const std::bad_alloc&) {
    if (under_way_ == 0) throw;
    return false;
  }
  clusters_[under_way_++]->begin(own_.next++);
  return true;
}

void Worker::prepare_another() {
  if (prepared_ == clusters_.size()) clusters_.push_back(std::make_unique<Cluster>());
  clusters_[prepared_]->prepare(*launch_, *progress_, sums_);
  ++prepared_;
}

}  // namespace emulator::runtime
