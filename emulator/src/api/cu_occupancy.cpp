// What a program asks about how many blocks fit.
#include <algorithm>
#include <cstdint>

#include "api/cluster_size.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"
#include "api/occupancy.h"

namespace emulator::api {
namespace {

// What a launch would ask for; zeros: nothing.
Extents cluster_in(const CUlaunchConfig& config) {
  require(config.numAttrs == 0 || config.attrs != nullptr);
  Extents cluster = {0, 0, 0};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& extents = config.attrs[i].value.clusterDim;
    cluster = {extents.x, extents.y, extents.z};
  }
  return cluster;
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::blocks_per_multiprocessor;
using emulator::api::cluster_of;
using emulator::api::current_context;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                              shared_bytes, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int threads, size_t shared_bytes,
                                                              unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require(blocks != nullptr &&
            (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) == 0);
    require(threads > 0);
    *blocks = static_cast<int>(blocks_per_multiprocessor(
        *context->kernel(function), static_cast<std::uint32_t>(threads), shared_bytes));
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_bytes_of,
                                                   size_t shared_bytes, int limit,
                                                   unsigned int flags) {
  if ((flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_bytes_of, shared_bytes,
                                          limit);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_bytes_of, size_t shared_bytes,
                                          int limit) {
  return answer([&] {
    const auto context = current_context();
    require(grid != nullptr && block != nullptr && limit >= 0);
    const auto kernel = context->kernel(function);
    constexpr int kWarp = static_cast<int>(emulator::runtime::kWarpSize);
    const int most = limit == 0 ? static_cast<int>(kernel->max_threads())
                                : std::min(limit, static_cast<int>(kernel->max_threads()));
    int best = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / kWarp * kWarp) {
      const std::size_t bytes =
          shared_bytes_of != nullptr ? shared_bytes_of(threads) : shared_bytes;
      const auto blocks = static_cast<int>(
          blocks_per_multiprocessor(*kernel, static_cast<std::uint32_t>(threads), bytes));
      if (blocks * threads <= best) continue;
      best = blocks * threads;
      *block = threads;
      *grid = blocks * static_cast<int>(Driver::get().device().workers);
    }
    require(best != 0);
  });
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return answer([&] {
    const auto context = current_context();
    require(bytes != nullptr && blocks > 0 && threads > 0);
    const auto kernel = context->kernel(function);
    const std::uint64_t used =
        kernel->layout().static_shared_bytes + emulator::api::kReservedSharedBytes;
    const std::uint64_t share =
        emulator::api::kMultiprocessorSharedBytes / static_cast<std::uint64_t>(blocks);
    *bytes =
        share > used ? std::min<std::uint64_t>(share - used, emulator::api::kOptInSharedBytes) : 0;
  });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function,
                                            const CUlaunchConfig* config) {
  return answer([&] {
    const auto context = current_context();
    require(size != nullptr && config != nullptr);
    const auto kernel = context->kernel(function);
    (void)cluster_of(*kernel, emulator::api::cluster_in(*config));
    *size = static_cast<int>(emulator::api::largest_cluster(*kernel));
  });
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                      const CUlaunchConfig* config) {
  return answer([&] {
    const auto context = current_context();
    require(clusters != nullptr && config != nullptr);
    const auto kernel = context->kernel(function);
    const auto cluster = cluster_of(*kernel, emulator::api::cluster_in(*config));
    const unsigned threads = config->blockDimX * config->blockDimY * config->blockDimZ;
    require(threads <= emulator::api::kThreadsPerBlock);
    *clusters = 0;
    if (!cluster) return;
    const std::uint64_t size = std::uint64_t{(*cluster)[0]} * (*cluster)[1] * (*cluster)[2];
    const std::uint64_t blocks =
        blocks_per_multiprocessor(*kernel, threads, config->sharedMemBytes);
    *clusters = static_cast<int>(
        std::max<std::uint64_t>(blocks * Driver::get().device().workers / size, 1));
  });
}
