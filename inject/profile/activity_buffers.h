// The memory that CUPTI writes its records into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lock.h"

namespace recording {

class ActivityBuffers {
 public:
  // Some ten thousand kernels; CUPTI hands a buffer back when it is full, or is told to.
  static constexpr std::size_t kBytes = 2UL << 20U;

  // Null where all that there may be is in use: CUPTI then counts what it drops.
  [[nodiscard]] std::uint8_t* take();
  void give_back(std::uint8_t* buffer);

  // A buffer with its records.
  struct Filled {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0;
  };
  // One more that waits to be read, in the order in which CUPTI handed them back. How many do now.
  [[nodiscard]] std::size_t keep(Filled filled);
  // So many should not wait: half of all.
  static constexpr std::size_t kMany = 32;
  // The first of them; null where none waits.
  [[nodiscard]] Filled next();

 private:
  // 128 MiB: what a program can launch while a disk does not answer for some seconds.
  static constexpr std::size_t kMost = 64;

  struct Free {
    Free* next;
  };
  Lock lock_;
  Free* free_ = nullptr;
  std::size_t made_ = 0;
  // A ring, which has room for all that are made.
  std::array<Filled, kMost> filled_{};
  std::size_t first_filled_ = 0;
  std::size_t filled_count_ = 0;
};

}  // namespace recording
