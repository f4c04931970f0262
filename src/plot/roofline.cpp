#include "plot/roofline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "autokernel/base/error.h"
#include "plot/colours.h"
#include "plot/drawing.h"
#include "plot/gnuplot.h"
#include "plot/script.h"

namespace autokernel::plot {
namespace {

constexpr double kMicroPerUnit = 1e6;
constexpr double kPerTera = 1e12;
constexpr double kGigaPerTera = 1e3;
// Beyond the points and the ridges, so that a roof is seen as one.
constexpr double kRoomAround = 2.5;
// Fewer decades would make a slope of what is a crowd of points.
constexpr double kFewestDecades = 2;

[[nodiscard]] double tflops_of(double operations, double us) {
  return operations / us * kMicroPerUnit / kPerTera;
}

struct Span {
  double low;
  double high;
};
void widen(Span& span, double value) {
  span.low = std::min(span.low, value);
  span.high = std::max(span.high, value);
}
[[nodiscard]] Axis axis_over(Span span) {
  span.low /= kRoomAround;
  span.high *= kRoomAround;
  const double missing = kFewestDecades - std::log10(span.high / span.low);
  if (missing > 0) {
    span.low /= std::pow(10, missing / 2);
    span.high *= std::pow(10, missing / 2);
  }
  return logarithmic_axis(span.low, span.high);
}

// Of the memory, at so many operations per byte.
[[nodiscard]] double slope(const Sweep& sweep, double intensity) {
  return sweep.memory_gbytes_s.value_or(0) * intensity / kGigaPerTera;
}

// A CPU reaches few thousandths of a TFLOP/s.
void write_in_small_unit(RooflineLayout& layout) {
  constexpr double kFew = 0.1;
  const double most = std::ranges::max(layout.points, {}, &RooflinePoint::kernel).kernel;
  if (!layout.roofs.empty() || most >= kFew) return;
  layout.unit = "GFLOP/s";
  for (RooflinePoint& point : layout.points) {
    point.kernel *= kGigaPerTera;
    if (point.reference) *point.reference *= kGigaPerTera;
  }
}

[[nodiscard]] std::string number(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

[[nodiscard]] std::string headline(const RooflineLayout& layout, const Sweep& sweep) {
  if (layout.roofs.empty()) return "no roofs: what this device could do at most is not known";
  std::string text = fmt::format("memory {:.0f} GB/s", sweep.memory_gbytes_s.value_or(0));
  for (const RooflineRoof& roof : layout.roofs) {
    text += fmt::format(", {} {} TFLOP/s", roof.compute.unit, number(roof.compute.tflops));
  }
  return text;
}

void draw_roofs(Drawing& drawing, const RooflineLayout& layout, const Sweep& sweep) {
  const RooflineRoof& highest = layout.roofs.front();
  // Where the slope comes into the picture.
  const double from = std::max(layout.intensity.low,
                               layout.rate.low * kGigaPerTera / sweep.memory_gbytes_s.value_or(1));
  drawing.line(
      "set arrow from first {:.8g},{:.8g} to first {:.8g},{:.8g} nohead lw 3 lc rgb '{}' back",
      from, slope(sweep, from), highest.ridge, highest.compute.tflops, kPurple);
  const Point begin = layout.place(from, slope(sweep, from));
  const Point end = layout.place(highest.ridge, highest.compute.tflops);
  const double degrees =
      std::atan2(end.y - begin.y, end.x - begin.x) * 180 / std::numbers::pi_v<double>;
  // In the middle of its visible part, just above.
  const double lift = 0.9 * layout.canvas.font;
  drawing.line(
      "set label 'memory {:.0f} GB/s' at screen {:.5f},{:.5f} center rotate by {:.2f} textcolor "
      "rgb '{}'",
      sweep.memory_gbytes_s.value_or(0), ((begin.x + end.x) / 2 - lift * 0.7) / layout.canvas.width,
      ((begin.y + end.y) / 2 + lift * 0.7) / layout.canvas.height, degrees, kPurple);
  for (const RooflineRoof& roof : layout.roofs) {
    drawing.line(
        "set arrow from first {:.8g},{:.8g} to first {:.8g},{:.8g} nohead lw 3 lc rgb '{}' back",
        roof.ridge, roof.compute.tflops, layout.intensity.high, roof.compute.tflops, kVermilion);
    drawing.line(
        "set label {} at first {:.8g},{:.8g} right offset -0.5,0.7 textcolor rgb '{}'",
        in_quotes(fmt::format("{} {} TFLOP/s", roof.compute.unit, number(roof.compute.tflops))),
        layout.intensity.high, roof.compute.tflops, kVermilion);
    drawing.line(
        "set arrow from first {0:.8g},{1:.8g} to first {0:.8g},{2:.8g} nohead dt 2 lw 1.4 lc rgb "
        "'{3}' back",
        roof.ridge, layout.rate.low, roof.compute.tflops, kGrey);
    drawing.line(
        "set label 'ridge {}' at first {:.8g},graph 0.02 left offset 0.5,0 textcolor rgb '{}'",
        number(roof.ridge), roof.ridge, kPale);
  }
}

}  // namespace

Point RooflineLayout::place(double operations_per_byte, double operations) const {
  return {(left + intensity.position(operations_per_byte) * (right - left)) * canvas.width,
          (bottom + rate.position(operations) * (top - bottom)) * canvas.height};
}

RooflineLayout lay_out_roofline(const Sweep& sweep) {
  RooflineLayout layout{.canvas = {.width = 1400, .height = 1000},
                        .left = 0.085,
                        .right = 0.97,
                        .bottom = 0.11,
                        .top = 0.86,
                        .intensity = {},
                        .rate = {},
                        .roofs = {},
                        .points = {}};
  for (const SizePoint& size : sweep.sizes) {
    if (!size.kernel_us || *size.kernel_us <= 0) continue;
    RooflinePoint point{.name = size.name,
                        .intensity = size.operations / size.bytes,
                        .kernel = tflops_of(size.operations, *size.kernel_us),
                        .reference = {}};
    if (size.reference_us) point.reference = tflops_of(size.operations, *size.reference_us);
    layout.points.push_back(std::move(point));
  }
  if (layout.points.empty()) {
    throw Error(Stop::usage, "cannot draw a roofline: no size was timed");
  }
  if (sweep.memory_gbytes_s) {
    for (const ComputeRoof& roof : sweep.compute) {
      layout.roofs.push_back({roof, roof.tflops * kGigaPerTera / *sweep.memory_gbytes_s});
    }
  }
  std::ranges::sort(layout.roofs, std::greater{}, &RooflineRoof::ridge);
  write_in_small_unit(layout);
  const RooflinePoint& first = layout.points.front();
  Span intensity{first.intensity, first.intensity};
  Span rate{first.kernel, first.kernel};
  for (const RooflinePoint& point : layout.points) {
    widen(intensity, point.intensity);
    widen(rate, point.kernel);
    if (point.reference) widen(rate, *point.reference);
  }
  for (const RooflineRoof& roof : layout.roofs) {
    widen(intensity, roof.ridge);
    widen(rate, roof.compute.tflops);
  }
  layout.intensity = axis_over(intensity);
  layout.rate = axis_over(rate);
  return layout;
}

std::vector<Label> size_labels(const RooflineLayout& layout, const Sweep& sweep) {
  const Canvas& canvas = layout.canvas;
  const Box area{layout.left * canvas.width, layout.bottom * canvas.height,
                 layout.right * canvas.width, layout.top * canvas.height};
  constexpr double kHalfMark = 8;
  constexpr double kHalfLine = 6;
  constexpr int kSteps = 60;
  constexpr std::size_t kLongestName = 24;
  std::vector<Milestone> names;
  std::vector<Box> taken;
  const auto take = [&](const Point& at, double half) {
    taken.push_back({at.x - half, at.y - half, at.x + half, at.y + half});
  };
  for (const RooflinePoint& point : layout.points) {
    const Point at = layout.place(point.intensity, point.kernel);
    names.push_back({at, shortened(point.name, kLongestName), point.kernel});
    take(at, kHalfMark);
    if (point.reference) {
      take(layout.place(point.intensity, *point.reference), kHalfMark);
    }
  }
  if (!layout.roofs.empty()) {
    const double ridge = layout.roofs.front().ridge;
    for (int i = 0; i <= kSteps; ++i) {
      const double there = layout.intensity.low *
                           std::pow(ridge / layout.intensity.low, static_cast<double>(i) / kSteps);
      take(layout.place(there, slope(sweep, there)), kHalfLine);
    }
  }
  for (const RooflineRoof& roof : layout.roofs) {
    const Point corner = layout.place(roof.ridge, roof.compute.tflops);
    // Its name is above.
    taken.push_back({corner.x, corner.y - kHalfLine, area.right, corner.y + 1.8 * canvas.font});
    taken.push_back({corner.x - kHalfLine, area.bottom, corner.x + kHalfLine, corner.y});
  }
  return place_labels(std::move(names), area, canvas.font, taken);
}

std::string roofline_script(const Sweep& sweep, Format format) {
  const RooflineLayout layout = lay_out_roofline(sweep);
  Drawing drawing(layout.canvas, format);
  drawing.line("$kernel << EOD");
  for (const RooflinePoint& point : layout.points)
    drawing.line("{:.8g} {:.8g}", point.intensity, point.kernel);
  drawing.line("EOD");
  bool has_reference = false;
  drawing.line("$reference << EOD");
  for (const RooflinePoint& point : layout.points) {
    if (!point.reference) continue;
    drawing.line("{:.8g} {:.8g} {:.8g}", point.intensity, *point.reference, point.kernel);
    has_reference = true;
  }
  drawing.line("EOD");
  const std::string on_device = sweep.device.empty() ? "" : " on " + sweep.device;
  drawing.words(sweep.problem + on_device, headline(layout, sweep),
                "operations and bytes as case.toml counts them", layout.left);
  std::vector<LegendEntry> entries{{"kernel", kDisc, kBlue}};
  if (has_reference) entries.push_back({sweep.reference, kTriangle, kGreen});
  drawing.legend(entries, layout.left);
  drawing.place(layout.left, layout.right, layout.bottom, layout.top);
  drawing.axis('x', layout.intensity);
  drawing.axis('y', layout.rate);
  drawing.line("set xlabel 'FLOP per byte' textcolor rgb '{}'", kInk);
  drawing.line("set ylabel '{}' textcolor rgb '{}'", layout.unit, kInk);
  if (!layout.roofs.empty()) draw_roofs(drawing, layout, sweep);
  drawing.labels(size_labels(layout, sweep));
  // Kernel and reference of one size are tied: they stand above one another.
  const std::string references =
      has_reference
          ? fmt::format(
                "$reference using 1:2:(0):($3-$2) with vectors nohead lw 1 lc rgb '{}' "
                "notitle, $reference using 1:2 with points pt {} ps 1.6 lw 1.8 lc rgb '{}' "
                "notitle, ",
                kGrey, kTriangle, kGreen)
          : "";
  drawing.line("plot {}$kernel using 1:2 with points pt {} ps 1.6 lc rgb '{}' notitle", references,
               kDisc, kBlue);
  return drawing.take();
}

std::string draw_roofline(const Sweep& sweep, Format format, const std::filesystem::path& gnuplot) {
  return run_gnuplot(gnuplot, roofline_script(sweep, format));
}

}  // namespace autokernel::plot
