// A cluster of thread blocks while a worker runs it, or a block alone, which is a cluster of one.
// Its blocks run in turn, and may reach each other's shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/block.h"
#include "runtime/launch.h"
#include "runtime/reservation.h"

namespace emulator::runtime {

// What clusterlaunchcontrol.try_cancel leaves in shared memory, for query_cancel to read. NVIDIA
// keeps its layout to itself.
struct CancelResponse {
  std::array<std::uint32_t, 3> first_block;  // of the cluster that was taken
  std::uint32_t canceled;                    // 0: there was none
};
static_assert(sizeof(CancelResponse) == 16);

class Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Sets everything up that does not change between the clusters of a launch. Throws
  // std::bad_alloc.
  void prepare(const Launch& launch, LaunchProgress& progress, GatheredSums& sums);
  // Makes this cluster number `index` of the launch (x fastest), of which nothing has run.
  void begin(std::uint64_t index);
  // Runs it until it ends (true), or until each of its blocks has had a turn of so many rounds
  // (false). A fault goes to the launch's progress and ends it as well. Where it is a block alone,
  // and none of a chain, it becomes the next one of `following` as often as it ends.
  [[nodiscard]] bool run(std::uint64_t rounds, Portion& following);
  // Whether its blocks have all let the next launch begin, and rest until it has.
  [[nodiscard]] bool rests() const { return triggered_ == size_ && holds(); }
  // They need not.
  void go_on() { goes_on_ = true; }
  // Whether one of its blocks waits for the launches before this one.
  [[nodiscard]] bool awaits_launches() const;
  // Once it has ended: gives back what it has beyond so many stacks; how many it keeps.
  std::uint64_t keep_stacks(std::uint64_t most);

  // Takes the next cluster that nobody has begun from the launch: it never runs.
  [[nodiscard]] CancelResponse cancel_another();

  // For its blocks. One of them has arrived at the cluster's barrier, whole, or has ended.
  void block_arrived();
  // One of them has triggered, or ended without; whether it is to rest.
  bool block_triggered();
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool has_ended(std::uint32_t rank) const { return blocks_[rank]->has_ended(); }
  [[nodiscard]] Block& block(std::uint32_t rank) { return *blocks_[rank]; }

 private:
  // Whether blocks that have triggered rest.
  [[nodiscard]] bool holds() const {
    return !goes_on_ && progress_->succession() != nullptr && progress_->succession()->holds();
  }
  [[nodiscard]] std::array<std::uint32_t, 3> first_block(std::uint64_t index) const;

  const Launch* launch_ = nullptr;
  LaunchProgress* progress_ = nullptr;
  std::uint32_t size_ = 1;
  std::uint32_t triggered_ = 0;  // blocks
  bool goes_on_ = false;         // does not rest
  Reservation shared_pages_;
  std::vector<std::unique_ptr<Block>> blocks_;  // by rank
};

}  // namespace emulator::runtime
