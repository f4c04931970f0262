#include "autokernel/plot/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "autokernel/base/error.h"
#include "plot/colours.h"
#include "plot/drawing.h"
#include "plot/gnuplot.h"
#include "plot/labels.h"
#include "plot/script.h"

namespace autokernel::plot {
namespace {

constexpr double kLeftOfBars = 0.075;
constexpr double kRightOfBars = 0.98;
// Between two groups, in widths of a bar.
constexpr double kGroupGap = 1;
constexpr std::size_t kLongestName = 26;
constexpr int kSquare = 5;  // gnuplot's number of the mark in the legend

[[nodiscard]] const char* colour_of(std::size_t number) {
  constexpr std::array kColours = {kBlue, kGreen, kVermilion, kPurple, "#E69F00", "#56B4E9", kGrey};
  return kColours[number % kColours.size()];
}

[[nodiscard]] std::vector<std::string> labels_of(const Bars& bars) {
  std::vector<std::string> labels;
  for (const BarGroup& group : bars.groups) {
    for (const Bar& bar : group.bars) {
      if (std::ranges::find(labels, bar.label) == labels.end()) labels.push_back(bar.label);
    }
  }
  return labels;
}

// Above a bar: what it says, in as many digits as it takes.
[[nodiscard]] std::string value_text(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 4);
}

// The names below their bars where there is one group; below each group its own where there are
// more, and the bars are told by the legend.
void name_places(Drawing& drawing, const Bars& bars, const Canvas& canvas, double width) {
  std::string ticks;
  double widest = 0;
  double at = 0;
  const auto add = [&](const std::string& text, double place) {
    const std::string name = shortened(text, kLongestName);
    widest = std::max(widest, width_of(name) * canvas.font);
    ticks += fmt::format("{}{} {:.8g}", ticks.empty() ? "" : ", ", in_quotes(name), place);
  };
  double room = 1;
  for (const BarGroup& group : bars.groups) {
    const auto count = static_cast<double>(group.bars.size());
    if (bars.groups.size() == 1) {
      for (const Bar& bar : group.bars) add(bar.label, at++);
    } else {
      add(group.name, at + (count - 1) / 2);
      at += count + kGroupGap;
      room = std::max(room, count);
    }
  }
  const double pixels = (kRightOfBars - kLeftOfBars) * canvas.width / width * room;
  drawing.line("set xtics {} ({})", widest > pixels ? "rotate by 20 right" : "norotate", ticks);
}

[[nodiscard]] std::string bars_script(const Bars& bars, Format format) {
  const std::vector<std::string> labels = labels_of(bars);
  if (labels.empty()) throw Error(Stop::usage, "cannot draw the comparison: nothing was timed");
  const Canvas canvas{.width = 1400, .height = 900};
  Drawing drawing(canvas, format);
  std::vector<std::string> rows(labels.size());
  double most = 0;
  for (const BarGroup& group : bars.groups) {
    for (const Bar& bar : group.bars) most = std::max(most, bar.value);
  }
  // A wide interval must not flatten the bars.
  constexpr double kMostAboveBars = 1.5;
  const double highest = most * kMostAboveBars;
  bool is_cut = false;
  std::vector<double> values;
  double at = 0;
  double last = 0;
  for (const BarGroup& group : bars.groups) {
    for (const Bar& bar : group.bars) {
      const auto label =
          static_cast<std::size_t>(std::ranges::find(labels, bar.label) - labels.begin());
      const double high = std::min(bar.high, highest);
      if (high < bar.high) is_cut = true;
      rows[label] += fmt::format("{:.8g} {:.8g} {:.8g} {:.8g} {}\n", at, bar.value, bar.low, high,
                                 value_text(bar.value));
      values.push_back(high);
      last = at++;
    }
    at += kGroupGap;
  }
  for (std::size_t i = 0; i < labels.size(); ++i) drawing.line("$bar{} << EOD\n{}EOD", i, rows[i]);
  drawing.words(bars.title, bars.headline,
                fmt::format("bars: geometric mean of the rounds; lines: 95 % interval{}",
                            is_cut ? ", cut off where it is far above the bars" : ""),
                kLeftOfBars);
  if (bars.groups.size() > 1) {
    std::vector<LegendEntry> entries;
    entries.reserve(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      entries.push_back({shortened(labels[i], kLongestName), kSquare, colour_of(i)});
    drawing.legend(entries, kLeftOfBars);
  }
  drawing.place(kLeftOfBars, kRightOfBars, 0.17, 0.85);
  constexpr double kMargin = 0.7;
  drawing.line("set xrange [{:.8g}:{:.8g}]", -kMargin, last + kMargin);
  name_places(drawing, bars, canvas, last + 2 * kMargin);
  Axis axis = axis_from_zero(values);
  axis.low = 0;
  constexpr double kRoomForText = 1.06;
  axis.high *= kRoomForText;
  drawing.axis('y', axis);
  drawing.line("set ylabel {} textcolor rgb '{}'", in_quotes(bars.unit), kInk);
  drawing.line("set boxwidth 0.8\nset style fill solid 0.85 noborder");
  std::string parts;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    parts += fmt::format(
        "{0}$bar{1} using 1:2 with boxes lc rgb '{2}' notitle, $bar{1} using 1:2:3:4 with "
        "yerrorbars pt 0 ps 0 lw 2 lc rgb '{3}' notitle, $bar{1} using 1:4:5 with labels offset "
        "0,0.8 tc rgb '{3}' notitle",
        i == 0 ? "" : ", ", i, colour_of(i), kInk);
  }
  drawing.line("plot {}", parts);
  return drawing.take();
}

}  // namespace

void write_in_small_unit(Bars& bars) {
  constexpr double kThousandfold = 1e3;
  double most = 0;
  for (const BarGroup& group : bars.groups) {
    for (const Bar& bar : group.bars) most = std::max(most, bar.value);
  }
  if (most >= 1 || !bars.unit.starts_with("TFLOP/s")) return;
  bars.unit.front() = 'G';
  for (BarGroup& group : bars.groups) {
    for (Bar& bar : group.bars) {
      bar.value *= kThousandfold;
      bar.low *= kThousandfold;
      bar.high *= kThousandfold;
    }
  }
}

std::string draw_bars(const Bars& bars, Format format, const std::filesystem::path& gnuplot) {
  return run_gnuplot(gnuplot, bars_script(bars, format));
}

}  // namespace autokernel::plot
