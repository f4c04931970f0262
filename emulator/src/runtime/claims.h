// What tests of the lowering's analysis count: claims that were made of a register when the kernel
// was compiled, held against what the register holds. No kernel of a product's launch has any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/abi.h"

namespace emulator::runtime {

// That lane l of a register of `bits` bits holds scalar + offset[l], modulo 2^bits, of a scalar
// that lies in [low, high], read as signed, and ends in so many zeros. Compiled kernels hold it as
// 64-bit words in this order.
struct Claim {
  std::uint64_t bits;
  std::int64_t low;
  std::int64_t high;
  std::uint64_t trailing_zeros;
  std::uint64_t reg;   // index in the function
  std::uint64_t line;  // in the PTX
  std::int64_t offset[kWarpSize];
};

// The words for what is wrong with a claim, given what each lane of `mask` holds; empty where it is
// right.
[[nodiscard]] std::string wrong_in(const Claim& claim, const std::uint64_t (&lanes)[kWarpSize],
                                   std::uint32_t mask);

// Shared by the workers of a launch.
class ClaimCounts {
 public:
  void add(const Claim& claim, const std::uint64_t (&lanes)[kWarpSize], std::uint32_t mask);

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  // Of the first wrong ones.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::atomic<std::uint64_t> compared_ = 0;
  std::atomic<std::uint64_t> wrong_ = 0;
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

// Counts, where the launch does: the value of each lane is in value[0], 8 bytes per lane.
extern "C" void emu_claim(WarpContext* context, std::uint32_t mask, const Claim* claim);

}  // namespace emulator::runtime
