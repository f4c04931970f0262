#include "plot/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace autokernel::plot {
namespace {

// Room for the title, for the numbers at the axes, and at the right for what lines are called.
constexpr double kLeft = 0.075;
constexpr double kRight = 0.865;
constexpr double kUpperTop = 0.88;
constexpr double kUpperBottom = 0.425;
constexpr double kLowerTop = 0.395;
constexpr double kLowerBottom = 0.08;
// A library or a roofline further than that from all experiments would press them into a corner.
constexpr double kFarTimesThroughput = 2.5;
constexpr double kFarTimesTime = 8;
// Failed experiments are marked so far from the edge, as a share of the panel, in a strip where no
// value lies.
constexpr double kEdge = 0.028;
// Below this the two decimals of results.tsv say nothing.
constexpr double kLeastTflops = 0.1;
// From here on an axis in microseconds has more zeros than anyone counts.
constexpr double kManyMicroseconds = 10000;
constexpr std::size_t kLongestLabel = 34;

// A value at a share of the axis.
[[nodiscard]] double value_at(const Axis& axis, double position) {
  if (!axis.logarithmic) return axis.low + position * (axis.high - axis.low);
  return axis.low * std::pow(axis.high / axis.low, position);
}

[[nodiscard]] std::vector<double> present(const std::vector<std::optional<double>>& values) {
  std::vector<double> found;
  for (const auto& value : values) {
    if (value) found.push_back(*value);
  }
  return found;
}

[[nodiscard]] std::string name_of(Mark mark, const History& history) {
  switch (mark) {
    case Mark::baseline:
      return "baseline";
    case Mark::library:
      return history.library;
    case Mark::roofline:
      return "roofline";
  }
  return "";
}

// The times the lines stand for.
struct Times {
  Mark mark;
  std::optional<double> us;
};
[[nodiscard]] std::vector<Times> times_of(const History& history, const Story& story) {
  std::optional<double> baseline_us;
  if (story.baseline) baseline_us = time_of(history, *story.baseline);
  return {{Mark::baseline, baseline_us},
          {Mark::library, history.library_us},
          {Mark::roofline, history.roofline_us}};
}

// TFLOP/s where all experiments have them, else how many times as fast as the baseline.
struct Throughput {
  bool relative = false;
  double per_us = 0;  // a time of one microsecond is so much
};
[[nodiscard]] Throughput throughput_of(const History& history, const Story& story) {
  Throughput found;
  for (const Experiment& experiment : history.experiments) {
    if (!experiment.time_us) continue;
    if (experiment.tflops_s.value_or(0) < kLeastTflops) found.relative = true;
    found.per_us = std::max(found.per_us, *experiment.time_us * experiment.tflops_s.value_or(0));
  }
  if (!found.relative) return found;
  for (const Experiment& experiment : history.experiments) {
    if (experiment.time_us) found.per_us = *experiment.time_us;
    if (experiment.time_us) break;
  }
  if (story.baseline) found.per_us = time_of(history, *story.baseline);
  return found;
}

// Lines that are too far to be on the scale go to the edge; the others widen it.
void add_lines(Panel& panel, const History& history, const Story& story, auto value_of,
               auto text_of, auto is_far) {
  std::vector<double> values = present(panel.values);
  for (const Times& line : times_of(history, story)) {
    if (!line.us || *line.us <= 0) continue;
    const double value = value_of(*line.us);
    const bool beyond = !values.empty() && is_far(value, std::ranges::minmax(values));
    panel.lines.push_back(
        {line.mark, value, name_of(line.mark, history) + " " + text_of(value, *line.us), beyond});
  }
  for (const ReferenceLine& line : panel.lines) {
    if (!line.beyond) values.push_back(line.value);
  }
  panel.axis = panel.more_is_better ? axis_from_zero(values) : axis_around(values);
  panel.failed_at = value_at(panel.axis, panel.more_is_better ? kEdge : 1 - kEdge);
}

[[nodiscard]] std::string relative_title(const History& history) {
  return history.measure ? "times as good as the baseline" : "times as fast as the baseline";
}

[[nodiscard]] Panel throughput_panel(const History& history, const Story& story) {
  Panel panel;
  panel.bottom = kUpperBottom;
  panel.top = kUpperTop;
  const Throughput throughput = throughput_of(history, story);
  panel.title = throughput.relative ? relative_title(history) : "TFLOP/s (more is better)";
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    const Experiment& experiment = history.experiments[i];
    const auto us = drawn_us(history, story, i);
    if (!us) {
      panel.values.emplace_back();
    } else if (throughput.relative) {
      panel.values.emplace_back(throughput.per_us / *us);
    } else {
      // Of the table itself it is rounded otherwise than of the time.
      panel.values.emplace_back(*us == experiment.time_us ? experiment.tflops_s.value_or(0)
                                                          : throughput.per_us / *us);
    }
    panel.intervals.emplace_back();
  }
  add_lines(
      panel, history, story, [&](double us) { return throughput.per_us / us; },
      [&](double value, double) {
        return throughput.relative ? fmt::format("{:.2f}", value) : fmt::format("{:.4g}", value);
      },
      [](double value, const auto& range) { return value > kFarTimesThroughput * range.max; });
  return panel;
}

[[nodiscard]] std::string title_of(const Measure& measure) {
  return fmt::format("{}{} ({} is better)", measure.name,
                     measure.unit.empty() ? "" : ", " + measure.unit,
                     measure.higher_is_better ? "more" : "less");
}

[[nodiscard]] Panel time_panel(const History& history, const Story& story) {
  Panel panel;
  const std::optional<Measure>& measure = history.measure;
  const bool rises = measure && measure->higher_is_better;
  panel.title = "us per run (less is better)";
  if (measure) panel.title = title_of(*measure);
  panel.bottom = kLowerBottom;
  panel.top = kLowerTop;
  panel.more_is_better = rises;
  const auto value_of = [&](double us) { return measure ? measure->value(us) : us; };
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    const auto us = drawn_us(history, story, i);
    panel.values.push_back(us ? std::optional(value_of(*us)) : std::nullopt);
    auto interval = history.experiments[i].interval_us;
    if (interval && rises) interval = {value_of(interval->high), value_of(interval->low)};
    panel.intervals.push_back(interval);
  }
  add_lines(
      panel, history, story, value_of, [&](double, double us) { return figure_text(history, us); },
      [&](double value, const auto& range) { return !rises && value * kFarTimesTime < range.min; });
  if (rises) {  // from zero on, a gain of a percent would not be seen
    std::vector<double> values = present(panel.values);
    for (const ReferenceLine& line : panel.lines) values.push_back(line.value);
    panel.axis = axis_around(values);
    panel.failed_at = value_at(panel.axis, kEdge);
  }
  if (measure) return panel;
  if (panel.axis.high >= kManyMicroseconds) {
    panel.title = "ms per run (less is better)";
    panel.unit = 1000;
  }
  return panel;
}

}  // namespace

Point Layout::place(const Panel& panel, std::size_t experiment) const {
  const double value = panel.values[experiment].value_or(panel.failed_at);
  const double x = numbers.position(static_cast<double>(experiment));
  return {(left + x * (right - left)) * canvas.width,
          (panel.bottom + panel.axis.position(value) * (panel.top - panel.bottom)) * canvas.height};
}

Layout lay_out(const History& history, const Canvas& canvas) {
  Layout layout;
  layout.canvas = canvas;
  layout.left = kLeft;
  layout.right = kRight;
  layout.story = story_of(history);
  layout.numbers = axis_of_numbers(history.experiments.size());
  layout.throughput = throughput_panel(history, layout.story);
  layout.time = time_panel(history, layout.story);
  return layout;
}

std::vector<Label> milestones(const Layout& layout, const History& history) {
  const Panel& panel = layout.throughput;
  const auto height_of = [&](double value) {
    return (panel.bottom + panel.axis.position(value) * (panel.top - panel.bottom)) *
           layout.canvas.height;
  };
  // Below 0 there are the marks of what failed.
  const Box area{layout.left * layout.canvas.width, height_of(0),
                 layout.right * layout.canvas.width, panel.top * layout.canvas.height};
  constexpr double kHalfLine = 3;
  std::vector<Box> lines;
  std::vector<Milestone> found;
  std::optional<std::size_t> before;
  Point corner;  // where the line of the best has come to
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    if (layout.story.best_after[i] != i) continue;
    const Point at = layout.place(panel, i);
    if (before) {
      lines.push_back({corner.x, corner.y - kHalfLine, at.x, corner.y + kHalfLine});
      lines.push_back(
          {at.x - kHalfLine, std::min(corner.y, at.y), at.x + kHalfLine, std::max(corner.y, at.y)});
      const double gain = std::log(time_of(history, *before) / time_of(history, i));
      found.push_back({at, shortened(history.experiments[i].description, kLongestLabel), gain});
    }
    before = i;
    corner = at;
  }
  if (before) lines.push_back({corner.x, corner.y - kHalfLine, area.right, corner.y + kHalfLine});
  for (const ReferenceLine& line : panel.lines) {
    if (line.beyond) continue;
    const double y = height_of(line.value);
    lines.push_back({area.left, y - kHalfLine, area.right, y + kHalfLine});
  }
  std::erase_if(found, [](const Milestone& milestone) { return milestone.text.empty(); });
  return place_labels(std::move(found), area, layout.canvas.font, lines);
}

}  // namespace autokernel::plot
