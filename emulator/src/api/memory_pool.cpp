#include "api/memory_pool.h"

#include <algorithm>
#include <utility>

#include "api/error_translation.h"

namespace emulator::api {

void MemoryPool::get(CUmemPool_attribute attribute, void* value) const {
  const std::lock_guard lock(mutex_);
  const auto put = [value](cuuint64_t number) { *static_cast<cuuint64_t*>(value) = number; };
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return put(threshold_);
    // Nothing is kept back.
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return put(used_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return put(reserved_high_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      return put(used_high_);
    default:
      break;
  }
  const auto found = reuse_.find(attribute);
  require(found != reuse_.end());
  *static_cast<int*>(value) = found->second;
}

void MemoryPool::set(CUmemPool_attribute attribute, const void* value) {
  const std::lock_guard lock(mutex_);
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    threshold_ = *static_cast<const cuuint64_t*>(value);
    return;
  }
  if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
      attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH) {
    // They can only be begun anew.
    require(*static_cast<const cuuint64_t*>(value) == 0);
    (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? used_high_ : reserved_high_) = used_;
    return;
  }
  const auto found = reuse_.find(attribute);
  require(found != reuse_.end());
  found->second = *static_cast<const int*>(value) != 0 ? 1 : 0;
}

void MemoryPool::add(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  reserved_high_ = std::max(reserved_high_, used_);
}

void MemoryPool::subtract(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
}

CUmemoryPool MemoryPools::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void MemoryPools::make_current(CUmemoryPool pool) {
  (void)find(pool);
  const std::lock_guard lock(mutex_);
  current_ = pool;
}

CUmemoryPool MemoryPools::create() { return pools_.add(std::make_shared<MemoryPool>()); }

void MemoryPools::destroy(CUmemoryPool pool) {
  require(pool != standard_ && pools_.take(pool) != nullptr);
  const std::lock_guard lock(mutex_);
  if (current_ == pool) current_ = standard_;
}

std::shared_ptr<MemoryPool> MemoryPools::find(CUmemoryPool pool) const {
  std::shared_ptr<MemoryPool> found = pools_.find(pool);
  require(found != nullptr);
  return found;
}

void MemoryPools::note_allocation(CUmemoryPool handle, std::uint64_t address, std::size_t bytes) {
  std::shared_ptr<MemoryPool> pool = find(handle);
  pool->add(bytes);
  note_free(address);  // of a context that has gone with its memory
  const std::lock_guard lock(mutex_);
  parts_[address] = {handle, std::move(pool), bytes};
}

void MemoryPools::note_free(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = parts_.find(address);
  if (found == parts_.end()) return;
  found->second.pool->subtract(found->second.bytes);
  parts_.erase(found);
}

CUmemoryPool MemoryPools::pool_of(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto found = parts_.find(address);
  return found == parts_.end() ? nullptr : found->second.handle;
}

}  // namespace emulator::api
