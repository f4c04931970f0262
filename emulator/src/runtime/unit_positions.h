// Where the units of a launch under way stand, for whoever asks why it does not end. Units note it
// themselves, each in its own context, and are not stopped to be asked: what is told is true of a
// moment ago.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/line_names.h"

namespace emulator::runtime {

enum class Standing : std::uint32_t {
  ended,
  not_begun,
  running,      // since the line it noted last: the end of a loop's round, or a barrier
  at_barrier,   // waits
  at_meeting,   // a thread that waits for others of its warp
  at_launches,  // waits for the launches before its own
};

inline void note_standing(WarpContext& context, Standing standing) {
  std::atomic_ref(context.standing)
      .store(static_cast<std::uint32_t>(standing), std::memory_order_relaxed);
}
inline void note_standing(WarpContext& context, Standing standing, std::uint32_t line) {
  std::atomic_ref(context.at_line).store(line, std::memory_order_relaxed);
  note_standing(context, standing);
}

struct StandingGroup {
  Standing standing;
  std::uint32_t line;  // of the PTX; 0: none was noted
  std::uint64_t units;
};

struct UnitPositions {
  Unit unit = Unit::warp;
  std::uint64_t blocks = 0;  // under way
  std::vector<StandingGroup> groups = {};

  // Counts the units of one block, unless none of them has begun or all have ended.
  void add(std::vector<WarpContext>& contexts, std::uint32_t units);
  // "28 warps at kernel.cu:41 (waiting at a barrier), 4 at kernel.cu:33"; empty where there are no
  // blocks.
  [[nodiscard]] std::string text(const LineNames* lines) const;

 private:
  void count(Standing standing, std::uint32_t line);
};

}  // namespace emulator::runtime
