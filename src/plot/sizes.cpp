#include "plot/sizes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "autokernel/base/error.h"
#include "plot/colours.h"
#include "plot/drawing.h"
#include "plot/gnuplot.h"
#include "plot/labels.h"
#include "plot/script.h"

namespace autokernel::plot {
namespace {

constexpr double kLeftEdge = 0.085;
constexpr double kRightEdge = 0.97;
constexpr double kMicrosecondsPerSecond = 1e6;
// Below this many of a unit the next smaller one is written.
constexpr double kFew = 0.1;
constexpr double kThousand = 1e3;

[[nodiscard]] std::vector<SizePoint> timed_sizes(const Sweep& sweep) {
  std::vector<SizePoint> timed;
  for (const SizePoint& size : sweep.sizes) {
    if (size.kernel_us && *size.kernel_us > 0) timed.push_back(size);
  }
  if (timed.empty()) throw Error(Stop::usage, "cannot draw the sizes: none was timed");
  return timed;
}

// Of one that was timed.
[[nodiscard]] double kernel_us_of(const SizePoint& size) { return size.kernel_us.value_or(0); }

// What the sizes differ in, where one number says all of it.
struct Varying {
  std::string title;
  std::vector<double> values;
};
[[nodiscard]] std::optional<Varying> scale_of(const std::vector<SizePoint>& sizes) {
  Varying scale;
  for (const auto& [symbol, first] : sizes.front().symbols) {
    std::vector<double> values;
    for (const SizePoint& size : sizes) {
      const auto found = size.symbols.find(symbol);
      if (found == size.symbols.end()) return std::nullopt;
      values.push_back(static_cast<double>(found->second));
    }
    const std::set<double> different(values.begin(), values.end());
    if (different.size() == 1) continue;
    // Two sizes at one place would be taken for one.
    if (different.size() < sizes.size()) return std::nullopt;
    if (!scale.values.empty() && scale.values != values) return std::nullopt;
    scale.title += (scale.title.empty() ? "" : " = ") + symbol;
    scale.values = std::move(values);
  }
  if (scale.values.empty()) return std::nullopt;
  return scale;
}

[[nodiscard]] double most_of(const SizesPanel& panel) {
  double most = *std::ranges::max_element(panel.kernel);
  for (const auto& value : panel.reference) most = std::max(most, value.value_or(0));
  return most;
}

void scale_by(SizesPanel& panel, double factor) {
  for (double& value : panel.kernel) value *= factor;
  for (auto& value : panel.reference) {
    if (value) *value *= factor;
  }
}

[[nodiscard]] Axis axis_of(const SizesPanel& panel) {
  std::vector<double> values = panel.kernel;
  for (const auto& value : panel.reference) {
    if (value) values.push_back(*value);
  }
  return axis_around(values);
}

[[nodiscard]] SizesPanel throughput_of(const Sweep& sweep, const std::vector<SizePoint>& sizes) {
  const bool by_bytes = sweep.work_rate == WorkRate::bytes;
  const double per_unit = by_bytes ? 1e9 : 1e12;
  SizesPanel panel;
  panel.title = by_bytes ? "GB/s (more is better)" : "TFLOP/s (more is better)";
  for (const SizePoint& size : sizes) {
    const double work = (by_bytes ? size.bytes : size.operations) / per_unit;
    panel.kernel.push_back(work / kernel_us_of(size) * kMicrosecondsPerSecond);
    panel.reference.emplace_back();
    if (size.reference_us)
      panel.reference.back() = work / *size.reference_us * kMicrosecondsPerSecond;
  }
  if (!by_bytes && most_of(panel) < kFew) {
    scale_by(panel, kThousand);
    panel.title = "GFLOP/s (more is better)";
  }
  panel.axis = axis_of(panel);
  return panel;
}

[[nodiscard]] SizesPanel time_of(const std::vector<SizePoint>& sizes) {
  SizesPanel panel;
  panel.title = "us per run (less is better)";
  for (const SizePoint& size : sizes) {
    panel.kernel.push_back(kernel_us_of(size));
    panel.reference.push_back(size.reference_us);
  }
  if (most_of(panel) >= 10 * kThousand) {
    scale_by(panel, 1 / kThousand);
    panel.title = "ms per run (less is better)";
  }
  panel.axis = axis_of(panel);
  return panel;
}

// With ticks at the sizes themselves, where these have room for their numbers.
[[nodiscard]] Axis axis_of_places(const std::vector<double>& places) {
  constexpr double kRoomOfNumber = 0.05;
  Axis axis = axis_around(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (axis.position(places[i]) - axis.position(places[i - 1]) < kRoomOfNumber) return axis;
  }
  axis.ticks = places;
  return axis;
}

[[nodiscard]] std::string headline(const std::vector<SizePoint>& sizes,
                                   const std::string& reference) {
  std::string text = fmt::format("{} size{}", sizes.size(), sizes.size() == 1 ? "" : "s");
  double logarithms = 0;
  int compared = 0;
  for (const SizePoint& size : sizes) {
    if (!size.reference_us) continue;
    logarithms += std::log(*size.reference_us / kernel_us_of(size));
    ++compared;
  }
  if (compared == 0) return text;
  const bool all = compared == static_cast<int>(sizes.size());
  return text + fmt::format("; {:.2f} times as fast as {} (geometric mean{})",
                            std::exp(logarithms / compared), reference,
                            all ? "" : fmt::format(" of {}", compared));
}

void data(Drawing& drawing, const char* name, const SizesLayout& layout, const SizesPanel& panel) {
  drawing.line("${}kernel << EOD", name);
  for (std::size_t i = 0; i < panel.kernel.size(); ++i)
    drawing.line("{:.8g} {:.8g}", layout.places[i], panel.kernel[i]);
  drawing.line("EOD");
  drawing.line("${}reference << EOD", name);
  for (std::size_t i = 0; i < panel.reference.size(); ++i) {
    const std::optional<double>& value = panel.reference[i];
    if (value) drawing.line("{:.8g} {:.8g}", layout.places[i], *value);
  }
  drawing.line("EOD");
}

[[nodiscard]] bool has_reference(const SizesPanel& panel) {
  return std::ranges::any_of(panel.reference, [](const auto& value) { return value.has_value(); });
}

// Names that do not find room beside each other stand aslant, and end at their place: there is more
// room at the left edge than at the right one.
void name_sizes(Drawing& drawing, const SizesLayout& layout, const Canvas& canvas, bool named) {
  constexpr std::size_t kLongestName = 24;
  double width = 0;
  std::string ticks;
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    const std::string name = shortened(layout.names[i], kLongestName);
    width = std::max(width, (width_of(name) + 1) * canvas.font);
    ticks += fmt::format("{}{} {}", ticks.empty() ? "" : ", ", in_quotes(named ? name : ""), i);
  }
  const double room =
      (kRightEdge - kLeftEdge) * canvas.width / static_cast<double>(layout.names.size());
  drawing.line("set xtics {} ({})", named && width > room ? "rotate by 30 right" : "norotate",
               ticks);
}

// Sizes that differ in many ways are no steps of one line.
void draw_panel(Drawing& drawing, const char* name, const SizesPanel& panel, bool by_name) {
  const char* const style = by_name ? "points" : "linespoints";
  drawing.axis('y', panel.axis);
  drawing.line("set ylabel {} textcolor rgb '{}'", in_quotes(panel.title), kInk);
  std::string parts;
  if (has_reference(panel)) {
    parts = fmt::format("${}reference using 1:2 with {} pt {} ps 1.6 lw 2 {} lc rgb '{}' notitle, ",
                        name, style, kTriangle, by_name ? "" : "dt 2", kGreen);
  }
  drawing.line("plot {}${}kernel using 1:2 with {} pt {} ps 1.5 lw 2.5 lc rgb '{}' notitle", parts,
               name, style, kDisc, kBlue);
}

}  // namespace

SizesLayout lay_out_sizes(const Sweep& sweep) {
  std::vector<SizePoint> sizes = timed_sizes(sweep);
  SizesLayout layout;
  if (const auto scale = scale_of(sizes)) {
    std::map<double, SizePoint> sorted;
    for (std::size_t i = 0; i < sizes.size(); ++i) sorted[scale->values[i]] = sizes[i];
    sizes.clear();
    for (const auto& [value, size] : sorted) {
      layout.places.push_back(value);
      sizes.push_back(size);
    }
    layout.title = scale->title;
    layout.axis = axis_of_places(layout.places);
  } else {
    layout.title = "size";
    layout.by_name = true;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      layout.places.push_back(static_cast<double>(i));
    }
    layout.axis = {.low = -0.5,
                   .high = static_cast<double>(sizes.size()) - 0.5,
                   .logarithmic = false,
                   .ticks = {}};
  }
  for (const SizePoint& size : sizes) layout.names.push_back(size.name);
  layout.throughput = throughput_of(sweep, sizes);
  layout.time = time_of(sizes);
  layout.headline = headline(sizes, sweep.reference);
  return layout;
}

std::string sizes_script(const Sweep& sweep, Format format) {
  const SizesLayout layout = lay_out_sizes(sweep);
  const Canvas canvas{.width = 1400, .height = 1100};
  Drawing drawing(canvas, format);
  data(drawing, "up", layout, layout.throughput);
  data(drawing, "down", layout, layout.time);
  drawing.line("set multiplot");
  const std::string on_device = sweep.device.empty() ? "" : " on " + sweep.device;
  drawing.words(sweep.problem + on_device, layout.headline, "", kLeftEdge);
  std::vector<LegendEntry> entries{{"kernel", kDisc, kBlue}};
  if (has_reference(layout.time)) entries.push_back({sweep.reference, kTriangle, kGreen});
  drawing.legend(entries, kLeftEdge);
  const auto along = [&](bool named) {
    drawing.axis('x', layout.axis, named ? TickNames::shown : TickNames::hidden);
    if (layout.by_name) name_sizes(drawing, layout, canvas, named);
  };
  constexpr double kMiddle = 0.49;
  drawing.place(kLeftEdge, kRightEdge, kMiddle, 0.86);
  along(/*named=*/false);
  draw_panel(drawing, "up", layout.throughput, layout.by_name);
  drawing.line("unset label");
  drawing.place(kLeftEdge, kRightEdge, 0.11, kMiddle - 0.03);
  along(/*named=*/true);
  drawing.line("set xlabel {} textcolor rgb '{}'", in_quotes(layout.title), kInk);
  draw_panel(drawing, "down", layout.time, layout.by_name);
  drawing.line("unset multiplot");
  return drawing.take();
}

std::string draw_sizes(const Sweep& sweep, Format format, const std::filesystem::path& gnuplot) {
  return run_gnuplot(gnuplot, sizes_script(sweep, format));
}

}  // namespace autokernel::plot
