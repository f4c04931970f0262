// Limits that programs set and read back. Of these two mean something here: CU_LIMIT_STACK_SIZE is
// what a thread's calls may take where functions call themselves or each other through pointers,
// beyond one frame of each, and CU_LIMIT_MALLOC_HEAP_SIZE is what kernels may take with malloc. The
// others do on a GPU alone.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "api/cuda_api.h"

namespace emulator::api {

class ContextLimits {
 public:
  ContextLimits() {
    // What a GPU begins with.
    set(CU_LIMIT_STACK_SIZE, 1024);
    set(CU_LIMIT_MALLOC_HEAP_SIZE, std::size_t{8} << 20);
    set(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 2);
    set(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048);
    set(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64);
  }

  [[nodiscard]] static bool knows(CUlimit limit) {
    return limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_MALLOC_HEAP_SIZE ||
           limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH ||
           limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT ||
           limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY || limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
  }
  [[nodiscard]] std::size_t get(CUlimit limit) const { return values_[limit]; }
  void set(CUlimit limit, std::size_t value) { values_[limit] = value; }

 private:
  std::array<std::atomic<std::size_t>, CU_LIMIT_MAX> values_{};
};

}  // namespace emulator::api
