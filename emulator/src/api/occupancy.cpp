#include "api/occupancy.h"

#include <algorithm>

#include "api/limits.h"

namespace emulator::api {
namespace {

// Shared memory is handed out in units of this many bytes.
constexpr std::uint64_t kSharedUnit = 128;
// Of the machine's memory, what local frames of blocks that wait may take: one part in so many.
constexpr std::uint64_t kLocalShare = 8;

}  // namespace

std::uint32_t blocks_per_multiprocessor(const Kernel& kernel, std::uint32_t threads,
                                        std::size_t dynamic_shared_bytes) {
  if (threads > kernel.max_threads() ||
      dynamic_shared_bytes > static_cast<std::size_t>(kernel.max_dynamic_shared_bytes.load())) {
    return 0;
  }
  const std::uint32_t whole_warps =
      (threads + runtime::kWarpSize - 1) / runtime::kWarpSize * runtime::kWarpSize;
  const std::uint64_t shared =
      kernel.layout().static_shared_bytes + dynamic_shared_bytes + kReservedSharedBytes;
  const std::uint64_t units = (shared + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
  const std::uint64_t by_threads = kThreadsPerMultiprocessor / whole_warps;
  const std::uint64_t by_shared = kMultiprocessorSharedBytes / units;
  return static_cast<std::uint32_t>(
      std::ranges::min({by_threads, by_shared, std::uint64_t{kBlocksPerMultiprocessor}}));
}

std::uint64_t blocks_per_worker(std::uint32_t blocks_per_multiprocessor, std::uint64_t local_bytes,
                                const DeviceProperties& device) {
  const unsigned workers = device.workers;
  const std::uint64_t multiprocessors = std::max(workers, kMultiprocessors);
  const std::uint64_t wanted =
      (std::uint64_t{blocks_per_multiprocessor} * multiprocessors + workers - 1) / workers;
  const std::uint64_t room = device.memory_bytes / kLocalShare / workers;
  const std::uint64_t fits = local_bytes == 0 ? wanted : room / local_bytes;
  return std::clamp<std::uint64_t>(fits, 1, std::max<std::uint64_t>(wanted, 1));
}

}  // namespace emulator::api
