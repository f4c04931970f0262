// The registers of a block's warps, as setmaxnreg moves them between these: what one gives up,
// another may take.
#pragma once

#include <cstdint>
#include <vector>

namespace emulator::runtime {

class RegisterPool {
 public:
  // A block of so many warps begins.
  void reset(std::uint32_t warps) {
    if (!of_warp_.empty()) of_warp_.assign(of_warp_.size(), 0);
    warps_ = warps;
    free_ = 0;
  }

  enum class Outcome : std::uint8_t {
    done,
    wrong,     // more than it has to be given up, or fewer to be taken
    short_of,  // not so many are free
  };
  // The warp, whose threads began with `at_entry` registers each, is to have `count`.
  [[nodiscard]] Outcome give_up(std::uint32_t warp, std::uint32_t at_entry, std::uint32_t count);
  [[nodiscard]] Outcome take(std::uint32_t warp, std::uint32_t at_entry, std::uint32_t count);

 private:
  std::uint32_t& of(std::uint32_t warp, std::uint32_t at_entry);

  std::uint32_t warps_ = 0;
  std::vector<std::uint32_t> of_warp_;  // of each thread; 0: as at entry
  std::uint32_t free_ = 0;              // of a thread, in all warps
};

}  // namespace emulator::runtime
