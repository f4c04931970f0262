// A picture of who is how fast: bars in groups, each with the interval around it. gnuplot does the
// drawing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/plot/plot.h"

namespace autokernel::plot {

struct Bar {
  std::string label;  // the same in all groups
  double value = 0;   // above 0
  double low = 0;
  double high = 0;
};
struct BarGroup {
  std::string name;  // "M = N = K = 1024"
  std::vector<Bar> bars;
};

// Text may hold anything.
struct Bars {
  std::string title;
  std::string headline;
  std::string unit;  // "TFLOP/s (more is better)"
  std::vector<BarGroup> groups;
};

// In GFLOP/s instead of TFLOP/s, where no bar reaches one: a CPU reaches a tenth.
void write_in_small_unit(Bars& bars);

// The bytes of the picture, png or svg. The first label is drawn in a colour of its own. Throws
// Error(usage) where there is no bar, Error(environment) where gnuplot does not run or reports a
// mistake.
[[nodiscard]] std::string draw_bars(const Bars& bars, Format format,
                                    const std::filesystem::path& gnuplot);

}  // namespace autokernel::plot
