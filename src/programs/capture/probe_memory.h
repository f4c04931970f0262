// What a search for tensors compares and puts back, kept on the device beside the replay's own
// memory: of a launch with hundreds of megabytes around its tensors, each of some hundred replays
// would move all of that to the device and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "autokernel/driver/device.h"
#include "autokernel/programs/captured_launch.h"
#include "programs/capture/numbers.h"
#include "programs/capture/replay.h"

namespace autokernel::programs {

class ProbeMemory {
 public:
  static constexpr std::size_t kPoisons = 4;

  // Of a replay of whole ranges, and of what a run of it leaves in each. None where the device has
  // too little memory for it. All must live longer.
  [[nodiscard]] static std::unique_ptr<ProbeMemory> made(const driver::Device& device,
                                                         const CapturedLaunch& launch,
                                                         const Replay& replay,
                                                         const std::vector<Bytes>& expected);
  ProbeMemory(const driver::Device& device, const CapturedLaunch& launch, const Replay& replay,
              const std::vector<Bytes>& expected);

  // A range as it was before the launch.
  void restore(std::size_t range) const;

  // Other bytes for a whole range, by number.
  [[nodiscard]] bool has_poison(std::size_t poison, std::size_t range) const;
  void add_poison(std::size_t poison, std::size_t range, std::span<const std::byte> bytes);

  struct Part {
    std::size_t range;
    std::uint64_t begin, end;  // bytes of the range
  };
  void put(std::size_t poison, const Part& part) const;
  // Whether a range has other bytes than it should, after a run for which that part, of the same
  // range or another, was poisoned: there, what was poisoned may still stand.
  [[nodiscard]] bool differs(std::size_t range, std::size_t poison, const Part& poisoned) const;

 private:
  // Memory like that of a range, as far from a multiple of the alignment.
  struct Copy {
    driver::Buffer buffer;
    driver::Address address;
  };
  struct RangeCopies {
    Copy before, expected;
    std::array<Copy, kPoisons> poisons;
    std::array<bool, kPoisons> has_poison{};
  };
  [[nodiscard]] Copy copy_like(std::size_t range) const;
  void copy(driver::Address to, driver::Address from, std::uint64_t bytes) const;

  const driver::Device& device_;
  const CapturedLaunch& launch_;
  const Replay& replay_;
  driver::Stream stream_;
  driver::Module module_;
  driver::Kernel compare_;
  driver::Buffer found_;  // 4 bytes: not 0 where a comparison found a difference
  std::vector<RangeCopies> ranges_;
};

}  // namespace autokernel::programs
