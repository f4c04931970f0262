// Lines on their way to a file: adding one costs the program's thread a copy in memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lock.h"
#include "record_file.h"

namespace recording {

class Spool {
 public:
  explicit Spool(RecordFile& file) : file_(file) {}

  // One whole line; those of one thread keep their order. Where too many wait, the calling thread
  // writes them itself.
  void add(std::string_view line);
  // Writes what has been added.
  void drain();
  // A record that could not be kept.
  void lose(std::uint64_t count = 1) { lost_.fetch_add(count, std::memory_order_relaxed); }

 private:
  // Threads of one shard wait for each other. Sixteen: as many as launch at once, in what we saw.
  static constexpr std::size_t kShards = 16;
  // A launch is some 60 bytes, and a thread makes at most 50,000 of them between two drains.
  static constexpr std::size_t kShardBytes = 512UL << 10U;

  struct alignas(64) Shard {
    Lock lock;
    char* lines = nullptr;
    std::size_t used = 0;
  };
  [[nodiscard]] static bool kept(Shard& shard, std::string_view line);

  RecordFile& file_;
  std::array<Shard, kShards> shards_;
  std::atomic<std::uint64_t> lost_{0};
  Lock draining_;
  char* spare_ = nullptr;  // of a shard's size; guarded by draining_
};

}  // namespace recording
