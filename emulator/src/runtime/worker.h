// What one thread does of a launch: a block after the other, and several beside each other where
// they wait for one another, as the blocks of a grid do at a barrier of the whole grid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/cluster.h"
#include "runtime/gathered_sums.h"
#include "runtime/launch.h"

namespace emulator::runtime {

class Worker {
 public:
  // Runs blocks until the launch, which so many workers share, has none left. Always called from
  // the same thread. Throws std::bad_alloc where memory does not suffice for even one block.
  void run(const Launch& launch, LaunchProgress& progress, std::uint64_t workers);

  // The same in turns, beside launches of other workers on the same thread. Of blocks that may
  // rest, or wait for launches before, it begins no more than it can keep the stacks for.
  void begin(const Launch& launch, LaunchProgress& progress, std::uint64_t workers,
             std::uint64_t kept_stacks);
  enum class Turn : std::uint8_t {
    moved,
    idle,  // all blocks that may begin have begun, and none of them has ended in this turn
    over,
  };
  [[nodiscard]] Turn turn();
  // Once it is over.
  void end();

 private:
  // Puts one more block under way; false where there is none left or no room.
  bool begin_another();
  // Lets each block that is under way run for so many rounds; whether one of them has ended. They
  // may become those of `following`.
  bool rotate(std::uint64_t rounds, Portion& following);
  void prepare_another();
  // How many clusters it may have under way now.
  [[nodiscard]] std::uint64_t most_under_way() const;
  // Lets blocks that rest go on where others cannot begin, or wait for what these do next; whether
  // there are any.
  bool wake_resting();
  // Gives back what its blocks have beyond so many stacks.
  void keep_stacks(std::uint64_t most);

  const Launch* launch_ = nullptr;
  LaunchProgress* progress_ = nullptr;
  std::uint64_t portion_ = 1;  // clusters taken at a time
  std::uint64_t kept_stacks_ = 0;
  std::uint64_t rounds_ = 0;  // of a cluster's turn
  std::uint64_t idle_turns_ = 0;
  Portion own_;  // this worker's to begin

  GatheredSums sums_;
  // Those under way, then others that are prepared for this launch, then the rest.
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::size_t under_way_ = 0;
  std::size_t prepared_ = 0;
};

}  // namespace emulator::runtime
