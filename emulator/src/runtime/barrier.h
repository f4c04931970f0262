// The sixteen barriers of a block and that of its cluster, as counts of arrived threads. Knows
// nothing of fibers: it says who may go on. Whoever arrives by itself is a unit: a warp, or a
// thread (abi.h, Unit).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/line_names.h"

namespace emulator::runtime {

inline constexpr unsigned kBarriers = 16;

// barrier.cluster, as far as it is the block's.
inline constexpr unsigned kClusterBarrier = kBarriers;

// cluster_wait waits for the barrier that the unit arrived at by cluster_arrive.
enum class BarrierWait : std::uint8_t { sync, arrive, cluster_arrive, cluster_wait };
enum class Reduction : std::uint8_t { none, popc, and_, or_ };

// "barrier 3", or the cluster's.
[[nodiscard]] std::string barrier_name(std::uint32_t id);

// One unit arrives at a barrier, whole.
struct Arrival {
  std::uint32_t unit;
  std::uint32_t id;
  std::uint32_t threads;  // that take part; 0: all of the block
  std::uint32_t line;
  BarrierWait wait;
  Reduction reduction = Reduction::none;
  std::uint32_t lanes = 0;      // of the warp that take part in the reduction
  std::uint32_t predicate = 0;  // their bits
  // As on a GPU a warp counts as 32 threads, also where it is the last of the block and not whole.
  std::uint32_t counts = kWarpSize;
};

class Barriers {
 public:
  // What refusals call lines; null: nobody has names for them.
  void call_lines(const LineNames* lines) { lines_ = lines; }
  // A block of `units` units begins: nobody waits anywhere.
  // Where the cluster has several, its barrier only fills: leave_cluster() lets the units go on.
  void reset(unsigned units, bool holds_cluster = false);

  enum class Outcome : std::uint8_t { passes, waits, refused };
  // `passes`: the barrier is full (or was only to be arrived at) and the units of released() go on
  // too. `refused`: the arrival contradicts an earlier one; refusal() says how.
  [[nodiscard]] Outcome arrive(const Arrival& arrival);
  // A unit has ended: barriers of the whole block no longer wait for it.
  void unit_ended(std::uint32_t unit) {
    --unfinished_;
    if (begun_ != 0) leave_all(unit);
  }
  // Whether any unit of the block has arrived at a barrier: otherwise none can wait at one.
  [[nodiscard]] bool any_begun() const { return begun_ != 0; }
  // Units that waited and may go on, in the order they arrived, until forget_released().
  [[nodiscard]] const std::vector<std::uint32_t>& released() const { return released_; }
  void forget_released() { released_.clear(); }
  // Whether all units that have not ended have arrived at the barrier of a cluster of several.
  [[nodiscard]] bool cluster_is_full() const { return cluster_is_full_; }
  void leave_cluster();
  // Of the reduction the unit was released from.
  [[nodiscard]] std::uint32_t result(std::uint32_t unit) const { return result_[unit]; }

  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  // For naming a deadlock.
  struct Wait {
    std::uint32_t id;
    std::uint32_t line;
  };
  [[nodiscard]] std::vector<std::uint32_t> waiting() const;  // units, ascending
  [[nodiscard]] Wait wait_of(std::uint32_t unit) const { return wait_[unit]; }
  [[nodiscard]] const std::vector<std::uint32_t>& waiting_at(std::uint32_t id) const {
    return state_[id].waiting;
  }
  [[nodiscard]] std::uint32_t awaited_threads(std::uint32_t id) const { return state_[id].threads; }

 private:
  struct State {
    std::uint32_t arrived = 0;  // units
    std::uint32_t counted = 0;  // the threads they stand for
    std::uint32_t threads = 0;
    std::vector<std::uint32_t> waiting;
    std::vector<std::uint64_t> present;  // bit u: unit u has arrived and not ended
    std::uint32_t present_count = 0;
    std::uint32_t line = 0;  // of the first arrival
    Reduction reduction = Reduction::none;
    std::uint32_t count = 0;
    bool all = true;
    bool any = false;

    void add(const Arrival& arrival);
    [[nodiscard]] std::uint32_t reduced() const;
    [[nodiscard]] bool holds(std::uint32_t unit) const;
    void enter(std::uint32_t unit);
    void leave(std::uint32_t unit);
    void clear();  // keeps the lists' memory: a barrier is used again and again
  };

  [[nodiscard]] bool full(const State& state) const;
  void release(State& state);
  void fill(std::uint32_t id);
  void leave_all(std::uint32_t unit);
  [[nodiscard]] Outcome wait_for_cluster(const Arrival& arrival);

  std::array<State, kBarriers + 1> state_;
  std::vector<Wait> wait_;             // per unit
  std::vector<std::uint32_t> result_;  // per unit
  std::uint32_t unfinished_ = 0;       // units
  bool holds_cluster_ = false;
  bool cluster_is_full_ = false;
  std::uint32_t begun_ = 0;  // bit b: somebody has arrived at barrier b
  std::vector<std::uint32_t> released_;
  std::string refusal_;
  const LineNames* lines_ = nullptr;
};

}  // namespace emulator::runtime
