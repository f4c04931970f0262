// Warp-wide instructions (shfl, vote, mma ..) of threads that run by themselves: the lanes an
// instruction names wait for each other, then one of them carries it out for all. Knows nothing of
// fibers: it says who waits and who leads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/abi.h"

namespace emulator::runtime {

// One thread comes to a warp-wide instruction.
struct MeetingArrival {
  std::uint32_t thread;   // in the block, linear
  std::uint32_t kind;     // of the instruction: lanes meet at instructions of the same kind only
  std::uint32_t members;  // the lanes it names
  std::uint32_t line;
};

class Meetings {
 public:
  // A block of `threads` threads begins.
  void reset(std::uint32_t threads);

  // Where all named lanes that have not ended are here now: those lanes, and the thread leads. Else
  // 0, and it waits.
  [[nodiscard]] std::uint32_t arrive(const MeetingArrival& arrival);
  // Threads that waited and are to lead, because those they waited for have ended; until
  // take_lead() of each.
  [[nodiscard]] std::vector<std::uint32_t> thread_ended(std::uint32_t thread);
  // The lanes a thread that was woken leads; 0 where another has led.
  [[nodiscard]] std::uint32_t take_lead(std::uint32_t thread);

  // For naming a deadlock: what a thread waits for.
  struct Wait {
    std::uint32_t line;
    std::uint32_t missing;  // lanes
  };
  [[nodiscard]] std::optional<Wait> wait_of(std::uint32_t thread) const;

 private:
  struct Meeting {
    std::uint32_t kind;
    std::uint32_t members;
    std::uint32_t arrived;  // lanes
    std::uint32_t line;     // of the first to arrive
  };
  struct Warp {
    std::uint32_t live = 0;
    std::vector<Meeting> open;
  };

  std::vector<Warp> warps_;
  std::vector<std::uint32_t> leads_;  // per thread
};

}  // namespace emulator::runtime
