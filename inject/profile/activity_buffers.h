// The memory that CUPTI writes its records into.
#pragma once

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

 private:
  // 128 MiB: what a program can launch while a disk does not answer for some seconds.
  static constexpr int kMost = 64;

  struct Free {
    Free* next;
  };
  Lock lock_;
  Free* free_ = nullptr;
  int made_ = 0;
};

}  // namespace recording
