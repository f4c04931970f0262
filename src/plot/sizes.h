// Where everything stands in the picture of a kernel's times by size: two panels above one another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/sweep.h"
#include "plot/axis.h"

namespace autokernel::plot {

// A figure of kernel and reference at each size that is drawn.
struct SizesPanel {
  std::string title;
  std::vector<double> kernel;
  std::vector<std::optional<double>> reference;
  Axis axis;
};

struct SizesLayout {
  // What goes from left to right: the symbol in which alone the sizes differ, or several that are
  // equal at each size ("M = N"); else the sizes, one beside the other, at 0, 1, 2 and so on.
  std::string title;
  bool by_name = false;
  std::string headline;
  std::vector<std::string> names;
  std::vector<double> places;
  Axis axis;
  SizesPanel throughput;
  SizesPanel time;
};

// Throws Error(usage) where no size has a time.
[[nodiscard]] SizesLayout lay_out_sizes(const Sweep& sweep);
// The program for gnuplot that draws it.
[[nodiscard]] std::string sizes_script(const Sweep& sweep, Format format);

}  // namespace autokernel::plot
