// The sixteen barriers of a block and that of its cluster, as counts of arrived threads. Knows
// nothing of fibers: it says who may go on.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emulator/runtime/abi.h"

namespace emulator::runtime {

inline constexpr unsigned kMaxWarps = 32;
inline constexpr unsigned kBarriers = 16;
// barrier.cluster, where the cluster is the block.
inline constexpr unsigned kClusterBarrier = kBarriers;

// cluster_wait waits for the barrier that the warp arrived at by cluster_arrive.
enum class BarrierWait : std::uint8_t { sync, arrive, cluster_arrive, cluster_wait };
enum class Reduction : std::uint8_t { none, popc, and_, or_ };

// "barrier 3", or the cluster's.
[[nodiscard]] std::string barrier_name(std::uint32_t id);

// One warp arrives at a barrier, whole.
struct Arrival {
  std::uint32_t warp;
  std::uint32_t id;
  std::uint32_t threads;  // that take part; 0: all of the block
  std::uint32_t line;
  BarrierWait wait;
  Reduction reduction = Reduction::none;
  std::uint32_t lanes = 0;      // of the warp that take part in the reduction
  std::uint32_t predicate = 0;  // their bits
};

class Barriers {
 public:
  // A block of `warps` warps begins: nobody waits anywhere.
  void reset(unsigned warps);

  enum class Outcome : std::uint8_t { passes, waits, refused };
  // `passes`: the barrier is full (or was only to be arrived at) and the warps of released() go on
  // too. `refused`: the arrival contradicts an earlier one; refusal() says how.
  [[nodiscard]] Outcome arrive(const Arrival& arrival);
  // A warp has ended: barriers of the whole block no longer wait for it.
  void warp_ended(std::uint32_t warp);
  // Bit w: warp w waited and may go on since the last call.
  [[nodiscard]] std::uint32_t take_released();
  // Of the reduction the warp was released from.
  [[nodiscard]] std::uint32_t result(std::uint32_t warp) const { return result_[warp]; }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // For naming a deadlock.
  struct Wait {
    std::uint32_t id;
    std::uint32_t line;
  };
  [[nodiscard]] std::uint32_t waiting() const;  // bit w: warp w waits
  [[nodiscard]] Wait wait_of(std::uint32_t warp) const { return wait_[warp]; }
  [[nodiscard]] std::uint32_t waiting_at(std::uint32_t id) const { return state_[id].waiting; }
  [[nodiscard]] std::uint32_t arrived_threads(std::uint32_t id) const {
    return state_[id].arrived * kWarpSize;
  }
  [[nodiscard]] std::uint32_t awaited_threads(std::uint32_t id) const { return state_[id].threads; }

 private:
  struct State {
    std::uint32_t arrived = 0;  // warps
    std::uint32_t threads = 0;
    std::uint32_t waiting = 0;
    std::uint32_t present = 0;  // bit w: warp w has arrived
    std::uint32_t line = 0;     // of the first arrival
    Reduction reduction = Reduction::none;
    std::uint32_t count = 0;
    bool all = true;
    bool any = false;

    void add(const Arrival& arrival);
  };

  [[nodiscard]] bool full(const State& state) const;
  void release(State& state);
  [[nodiscard]] Outcome wait_for_cluster(const Arrival& arrival);

  std::array<State, kBarriers + 1> state_;
  std::array<Wait, kMaxWarps> wait_ = {};
  std::array<std::uint32_t, kMaxWarps> result_ = {};
  std::uint32_t warps_ = 0;  // bit w: the block has a warp w
  std::uint32_t ended_ = 0;  // bit w: warp w has ended
  std::uint32_t begun_ = 0;  // bit b: somebody has arrived at barrier b
  std::uint32_t released_ = 0;
  std::string refusal_;
};

}  // namespace emulator::runtime
