// The figures that a ledger and a table may hold.
#pragma once

namespace autokernel::ledger {

// No time and no rate is beyond these, in whatever unit; within them a chart's axis can be divided.
constexpr double kSmallestFigure = 1e-30;
constexpr double kLargestFigure = 1e30;
constexpr const char* kFigureRange = "1e-30 to 1e30";

[[nodiscard]] constexpr bool is_in_range(double figure) {
  return figure >= kSmallestFigure && figure <= kLargestFigure;
}

}  // namespace autokernel::ledger
