// Where everything of a plot stands: two panels above one another, over the same experiments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/history.h"
#include "plot/axis.h"
#include "plot/labels.h"
#include "plot/summary.h"

namespace autokernel::plot {

// Pixels; gnuplot's screen coordinates are fractions of them, from the lower left corner.
struct Canvas {
  double width = 1600;
  double height = 1150;
  double font = 20;  // the height of letters, in pixels
};

// A line across a panel that the experiments are seen against.
enum class Mark : std::uint8_t { baseline, library, roofline };
struct ReferenceLine {
  Mark mark = Mark::baseline;
  double value = 0;
  std::string text;     // with its value
  bool beyond = false;  // off the scale: named at the edge
};

struct Panel {
  std::string title;
  double bottom = 0;  // fractions of the canvas
  double top = 1;
  Axis axis;
  double unit = 1;  // one of those the title names, in which ticks are written
  std::vector<std::optional<double>> values;  // of each experiment; none where it was not timed
  std::vector<std::optional<Interval>> intervals;
  std::vector<ReferenceLine> lines;
  double failed_at = 0;  // a value near the edge that is the worse one
  bool more_is_better = true;
};

struct Layout {
  Canvas canvas;
  double left = 0;  // of the panels, fractions of the canvas
  double right = 1;
  Axis numbers;
  Panel throughput;
  Panel time;
  Story story;

  // Pixels from the lower left corner. Failed experiments lie at the panel's edge.
  [[nodiscard]] Point place(const Panel& panel, std::size_t experiment) const;
};
[[nodiscard]] Layout lay_out(const History& history, const Canvas& canvas);

// The kept experiments that there is room to name in the upper panel.
[[nodiscard]] std::vector<Label> milestones(const Layout& layout, const History& history);

}  // namespace autokernel::plot
