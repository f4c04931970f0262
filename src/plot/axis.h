// A scale of values: which range, linear or logarithmic, and where its ticks are. Decided here and
// not by gnuplot, since labels are placed by it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace autokernel::plot {

struct Axis {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  // 0 at the low end, 1 at the high end; values beyond lie outside of that.
  [[nodiscard]] double position(double value) const;
};

// From a little below 0 to a little above the largest of the values, which are not negative.
[[nodiscard]] Axis axis_from_zero(const std::vector<double>& values);
// Around positive values: logarithmic where the largest is at least five times the smallest.
[[nodiscard]] Axis axis_around(const std::vector<double>& values);
// A whole number of experiments, from 0 to `count` - 1.
[[nodiscard]] Axis axis_of_numbers(std::size_t count);

// Logarithmic, from one positive value to a larger one.
[[nodiscard]] Axis logarithmic_axis(double low, double high);

// Ticks as text, without digits that say nothing.
[[nodiscard]] std::string tick_text(double value);

}  // namespace autokernel::plot
