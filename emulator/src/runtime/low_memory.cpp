#include "runtime/low_memory.h"

#include <sys/mman.h>

#include <new>

namespace emulator::runtime {
namespace {

class LowPages : public std::pmr::memory_resource {
  // Pages are aligned to more than the pool above ever asks for.
  void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
    void* pages = mmap(nullptr, bytes, kAccess, kFlags | MAP_32BIT, -1, 0);
    if (pages == MAP_FAILED) pages = mmap(nullptr, bytes, kAccess, kFlags, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return pages;
  }
  void do_deallocate(void* pages, std::size_t bytes, std::size_t /*alignment*/) override {
    munmap(pages, bytes);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

struct Pool {
  LowPages pages;
  std::pmr::synchronized_pool_resource blocks{&pages};
};

}  // namespace

std::pmr::memory_resource& low_memory() {
  static auto* const pool = new Pool;
  return pool->blocks;
}

}  // namespace emulator::runtime
