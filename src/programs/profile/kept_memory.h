// A limit on what an import keeps: a small file can be made to ask for any amount of memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "autokernel/base/error.h"

namespace autokernel::programs {

// Some ten million launches with all that belongs to them.
inline constexpr std::uint64_t kMostKept = 4ULL << 30;

class KeptMemory {
 public:
  explicit KeptMemory(std::string attempt, std::uint64_t most = kMostKept)
      : attempt_(std::move(attempt)), left_(most) {}

  // Throws Error(usage), "ATTEMPT: why", where it is too much.
  void take(std::uint64_t bytes) {
    if (bytes > left_) {
      throw Error(Stop::usage,
                  attempt_ + ": it has too many events; record fewer steps of the program");
    }
    left_ -= bytes;
  }

 private:
  std::string attempt_;
  std::uint64_t left_;
};

}  // namespace autokernel::programs
