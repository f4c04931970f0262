#include "runtime/worker.h"

#include <new>
#include <thread>
#include <tuple>
#include <utility>

namespace emulator::runtime {
namespace {

// A block whose warps have yielded this often, each, is taken to wait for another block. Warps also
// yield in loops of atomic operations that are getting on: setting up a second block costs as much
// as some hundred rounds, so that the mistake at most doubles the cost of a block.
constexpr std::uint64_t kPatience = 256;
// Among several, each gets a short turn: most of them find at once that they have to wait on.
constexpr std::uint64_t kRoundsPerTurn = 8;

}  // namespace

void Worker::run(const Launch& launch, LaunchProgress& progress, std::uint64_t portion) {
  launch_ = &launch;
  progress_ = &progress;
  portion_ = portion;
  next_ = end_ = 0;
  under_way_ = prepared_ = 0;
  // Blocks of a cluster reach each other's memory, and wait for each other in many ways.
  sums_.begin(launch.cluster_size() == 1);
  while (begin_another()) {
    std::uint64_t rounds = kPatience;
    while (under_way_ != 0) {
      if (rotate(rounds)) continue;
      // What they wait for may be among them.
      sums_.flush();
      // One more at a time: where blocks do get on, if slowly, that keeps their number near the
      // root of the turns they take.
      if (!begin_another()) std::this_thread::yield();
      rounds = kRoundsPerTurn;
    }
  }
  sums_.flush();
  keep_stacks(launch.kept_stacks);
}

void Worker::keep_stacks(std::uint64_t most) {
  for (const auto& cluster : clusters_) most -= cluster->keep_stacks(most);
}

bool Worker::rotate(std::uint64_t rounds) {
  const std::size_t before = under_way_;
  for (std::size_t i = 0; i < under_way_;) {
    if (clusters_[i]->run(rounds)) {
      std::swap(clusters_[i], clusters_[--under_way_]);
    } else {
      ++i;
    }
  }
  return under_way_ != before;
}

bool Worker::begin_another() {
  if (under_way_ >= launch_->blocks_per_worker && under_way_ != 0) return false;
  if (next_ == end_) std::tie(next_, end_) = progress_->take(portion_);
  if (next_ == end_ || progress_->stopped()) return false;
  try {
    if (under_way_ == prepared_) prepare_another();
  } catch (const std::bad_alloc&) {
    if (under_way_ == 0) throw;
    return false;
  }
  clusters_[under_way_++]->begin(next_++);
  return true;
}

void Worker::prepare_another() {
  if (prepared_ == clusters_.size()) clusters_.push_back(std::make_unique<Cluster>());
  clusters_[prepared_]->prepare(*launch_, *progress_, sums_);
  ++prepared_;
}

}  // namespace emulator::runtime
