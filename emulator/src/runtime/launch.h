// One kernel launch: what to run, on what grid, and what its threads may touch. Everything it
// points to outlives it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/abi.h"
#include "runtime/address_map.h"
#include "runtime/claims.h"
#include "runtime/device_heap.h"
#include "runtime/fault.h"
#include "runtime/line_names.h"
#include "runtime/print_buffer.h"
#include "runtime/succession.h"
#include "runtime/unit_positions.h"

namespace emulator::runtime {

// Where number `index` lies in a grid of that extent, x fastest.
[[nodiscard]] inline std::array<std::uint32_t, 3> position_in(
    const std::array<std::uint32_t, 3>& extent, std::uint64_t index) {
  if (extent[1] == 1 && extent[2] == 1) return {static_cast<std::uint32_t>(index), 0, 0};
  const std::uint64_t rows = index / extent[0];
  return {static_cast<std::uint32_t>(index % extent[0]),
          static_cast<std::uint32_t>(rows % extent[1]),
          static_cast<std::uint32_t>(rows / extent[1])};
}

// Clusters [next, end) of a launch, which a worker has taken and not begun.
struct Portion {
  std::uint64_t next = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool empty() const { return next == end; }
};

// In which order the units of a block begin. CUDA promises none: what is wrong in one of the two
// only lacks a barrier.
enum class UnitOrder : std::uint8_t { ascending, descending };

struct Launch {
  WarpFunction function = nullptr;
  Unit unit = Unit::warp;   // what the function runs
  bool may_suspend = true;  // whether a unit may have to wait, for whatever it is
  std::span<const Site> sites;
  std::span<const std::uint8_t> parameters;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};  // at most 1024 threads
  // Blocks of a cluster, of which the grid is a multiple in each dimension; at most 16.
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};
  std::uint32_t shared_bytes = 0;  // static and dynamic together
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t local_bytes_per_thread = 0;  // where threads run by themselves, frames of calls too
  // How many blocks a worker may have under way at once where they wait for each other.
  std::uint64_t blocks_per_worker = 32;
  // How many workers may take part. Where there are more, any of them may in the next launch.
  std::uint64_t most_workers = UINT64_MAX;
  // How many stacks each worker that took part keeps for the next launch.
  std::uint64_t kept_stacks = UINT64_MAX;
  // The address of 8 bytes in which the blocks of a cooperative launch meet; 0 for any other.
  std::uint64_t grid_workspace = 0;
  const AddressMap* addresses = nullptr;
  PrintBuffer* prints = nullptr;
  // Of kernels that compare what was claimed of their registers; null otherwise.
  ClaimCounts* claims = nullptr;
  // Of malloc; null where no kernel can have asked for memory.
  DeviceHeap* heap = nullptr;
  const LineNames* lines = nullptr;  // null: nobody has names for them
  UnitOrder order = UnitOrder::ascending;

  [[nodiscard]] std::uint64_t block_count() const {
    return std::uint64_t{grid[0]} * grid[1] * grid[2];
  }
  [[nodiscard]] std::uint32_t cluster_size() const { return cluster[0] * cluster[1] * cluster[2]; }
  [[nodiscard]] std::uint64_t cluster_count() const { return block_count() / cluster_size(); }
  [[nodiscard]] std::uint32_t thread_count() const { return block[0] * block[1] * block[2]; }
  [[nodiscard]] std::uint32_t warp_count() const {
    return (thread_count() + kWarpSize - 1) / kWarpSize;
  }
  // Of a block.
  [[nodiscard]] std::uint32_t unit_count() const {
    return unit == Unit::thread ? thread_count() : warp_count();
  }
};

// What the workers of one running launch share. The first fault wins; the others stop as soon as
// they notice.
class Block;

class LaunchProgress {
 public:
  // `succession` is null where the launch is none of a chain.
  explicit LaunchProgress(std::uint64_t clusters, Succession* succession = nullptr)
      : clusters_(clusters), succession_(succession) {}

  [[nodiscard]] Succession* succession() const { return succession_; }

  // The next `count` clusters nobody has taken; none at the end and after a fault.
  [[nodiscard]] Portion take(std::uint64_t count) {
    if (stopped()) return {};
    const std::uint64_t first = next_.fetch_add(count, std::memory_order_relaxed);
    if (first >= clusters_) return {};
    return {first, std::min(first + count, clusters_)};
  }
  [[nodiscard]] bool all_taken() const {
    return next_.load(std::memory_order_relaxed) >= clusters_;
  }
  // True if this fault is the launch's.
  bool report(Fault fault) {
    const std::lock_guard lock(mutex_);
    const bool first = !fault_;
    if (first) fault_ = std::move(fault);
    stop();
    return first;
  }
  // Ends the launch without a fault of its own.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Blocks that may be asked where their units stand.
  void watch(Block& block) {
    const std::lock_guard lock(mutex_);
    watched_.push_back(&block);
  }
  // Of all of them.
  void add_positions(UnitPositions& positions);
  // Once all workers are done.
  [[nodiscard]] std::optional<Fault> fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  // A cache line of its own: workers write there what all others wait for, and read what follows
  // it, and the launch, before each warp.
  static constexpr std::size_t kCacheLine = 64;

  std::uint64_t clusters_;
  Succession* succession_;
  alignas(kCacheLine) std::atomic<std::uint64_t> next_ = 0;
  alignas(kCacheLine) std::atomic<bool> stopped_ = false;
  mutable std::mutex mutex_;
  std::optional<Fault> fault_;
  std::vector<Block*> watched_;
};

}  // namespace emulator::runtime
