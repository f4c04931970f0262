// How near a kernel comes to what its device can do at most.
#pragma once

#include <cstdint>
#include <optional>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

enum class Bound : std::uint8_t { compute, memory };
[[nodiscard]] const char* spelling(Bound bound);

struct Roofline {
  Bound bound;      // which of the device's limits this problem meets first
  double peak_pct;  // share of that limit the median reaches, percent
};

// What the kernel computes with. Each is absent where the device's rate of it is not known.
struct UnitRoof {
  driver::Unit unit;
  std::optional<double> ridge;     // operations per byte from which on it is the limit, not memory
  std::optional<double> peak_pct;  // share of its peak the median reaches, percent
};
// Nothing where it is not known what the kernel computes with, or without times.
[[nodiscard]] std::optional<UnitRoof> unit_roof(const Result& result);

// How much of what lies between the reference and the least possible time the kernel has gained:
// 0.5 where it is as fast as the reference, 1 at the least time, which is that of roofline().
// 1 / (1 + (t - t_sol) / (t_base - t_sol)), the score of SOL-ExecBench (arXiv:2603.19173). Nothing
// where a time is not known, or the reference is as fast as the least time.
[[nodiscard]] std::optional<double> sol_score(const Result& result);
// The same for a reference that was timed elsewhere.
[[nodiscard]] std::optional<double> sol_score(const Result& result, double reference_us);

// Nothing where the times or the device's limits are not known, as on the emulated device.
[[nodiscard]] std::optional<Roofline> roofline(const Result& result);

}  // namespace autokernel::trial
