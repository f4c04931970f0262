// Pools of memory for allocations in stream order. Memory goes back to the machine when it is
// freed, so that a pool is no more than its account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "api/cuda_api.h"
#include "api/handle_table.h"

namespace emulator::api {

class MemoryPool {
 public:
  // `value` is an int or a cuuint64_t, as the attribute has it. Throw Refusal where there is no
  // such attribute, or where it cannot be set (to that).
  void get(CUmemPool_attribute attribute, void* value) const;
  void set(CUmemPool_attribute attribute, const void* value);

  void add(std::size_t bytes);
  void subtract(std::size_t bytes);

 private:
  mutable std::mutex mutex_;
  std::map<CUmemPool_attribute, int> reuse_ = {
      {CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1},
      {CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, 1},
      {CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1}};
  cuuint64_t threshold_ = 0;
  cuuint64_t used_ = 0;
  cuuint64_t used_high_ = 0;
  cuuint64_t reserved_high_ = 0;
};

// Those of the device.
class MemoryPools {
 public:
  [[nodiscard]] CUmemoryPool standard() const { return standard_; }
  // What cuMemAllocAsync takes memory from.
  [[nodiscard]] CUmemoryPool current() const;
  void make_current(CUmemoryPool pool);
  [[nodiscard]] CUmemoryPool create();
  // Allocations of the pool stay.
  void destroy(CUmemoryPool pool);
  // Throws Refusal.
  [[nodiscard]] std::shared_ptr<MemoryPool> find(CUmemoryPool pool) const;

  void note_allocation(CUmemoryPool pool, std::uint64_t address, std::size_t bytes);
  void note_free(std::uint64_t address);
  // Null where the address is of no pool.
  [[nodiscard]] CUmemoryPool pool_of(std::uint64_t address) const;

 private:
  struct Part {
    CUmemoryPool handle;
    std::shared_ptr<MemoryPool> pool;
    std::size_t bytes;
  };

  HandleTable<CUmemoryPool, MemoryPool> pools_;
  CUmemoryPool standard_ = pools_.add(std::make_shared<MemoryPool>());
  mutable std::mutex mutex_;
  CUmemoryPool current_ = standard_;
  std::map<std::uint64_t, Part> parts_;  // by address
};

}  // namespace emulator::api
