// Where everything of a roofline stands: operations per byte from left to right, operations per
// second upwards, both logarithmic.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/sweep.h"
#include "plot/axis.h"
#include "plot/labels.h"
#include "plot/layout.h"

namespace autokernel::plot {

struct RooflineRoof {
  ComputeRoof compute;
  double ridge = 0;  // operations per byte at which it meets the memory's
};

struct RooflinePoint {
  std::string name;  // of its size
  double intensity = 0;
  double kernel = 0;  // operations per second, in the layout's unit
  std::optional<double> reference;
};

struct RooflineLayout {
  Canvas canvas;
  double left = 0;  // of the panel, fractions of the canvas
  double right = 1;
  double bottom = 0;
  double top = 1;
  Axis intensity;
  Axis rate;
  const char* unit = "TFLOP/s";     // always with roofs
  std::vector<RooflineRoof> roofs;  // the highest first
  std::vector<RooflinePoint> points;

  // Pixels from the lower left corner.
  [[nodiscard]] Point place(double operations_per_byte, double operations_per_second) const;
};

// Throws Error(usage) where no size has a time.
[[nodiscard]] RooflineLayout lay_out_roofline(const Sweep& sweep);
// The names of the sizes that there is room for.
[[nodiscard]] std::vector<Label> size_labels(const RooflineLayout& layout, const Sweep& sweep);
// The program for gnuplot that draws it.
[[nodiscard]] std::string roofline_script(const Sweep& sweep, Format format);

}  // namespace autokernel::plot
