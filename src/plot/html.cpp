#include "plot/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "autokernel/base/html_text.h"

namespace autokernel::plot {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { font: 15px/1.45 "DejaVu Sans", Verdana, sans-serif; color: #333; background: #fff; margin: 0 auto; max-width: 1280px; padding: 12px; }
svg { width: 100%; height: auto; display: block; }
.hit { fill: transparent; stroke: none; pointer-events: all; }
.hit:hover, a:focus .hit { fill: #E69F00; fill-opacity: .35; stroke: #333; stroke-width: 1.5; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; border-bottom: 2px solid #999; position: sticky; top: 0; background: #fff; }
th, td { padding: 3px 14px 3px 0; vertical-align: top; }
td.n, th.n { text-align: right; }
tr { border-bottom: 1px solid #eee; }
tr:target { background: #FFF3D6; }
tr.kept td { color: #0072B2; font-weight: bold; }
tr.failed td { color: #A84A00; }
td.d { overflow-wrap: anywhere; }
)";

[[nodiscard]] const char* word(Fate fate) {
  switch (fate) {
    case Fate::kept:
      return "kept";
    case Fate::discarded:
      return "discarded";
    case Fate::failed:
      return "failed";
  }
  return "";
}

// How many times as fast as the baseline, where both have a time.
[[nodiscard]] std::optional<double> speed(const Layout& layout, const History& history,
                                          const Experiment& experiment) {
  if (!layout.story.baseline || !experiment.time_us || *experiment.time_us <= 0) return {};
  return time_of(history, *layout.story.baseline) / *experiment.time_us;
}

[[nodiscard]] std::string hover_text(const Layout& layout, const History& history, std::size_t i) {
  const Experiment& experiment = history.experiments[i];
  std::string text = fmt::format("{}: {}\n{}", i, experiment.description, word(experiment.fate));
  if (experiment.time_us) text += ", " + figure_text(history, *experiment.time_us);
  if (const auto times = speed(layout, history, experiment))
    text += fmt::format(", {:.2f} times the baseline's {}", *times,
                        history.measure ? "value" : "speed");
  if (const auto& interval = experiment.interval_us) {
    text += fmt::format("\n95 %: {} to {}", figure_text(history, interval->low),
                        figure_text(history, interval->high));
  }
  if (!experiment.commit.empty()) text += "\n" + experiment.commit;
  return text;
}

// A line break is one in a title of an SVG, too.
[[nodiscard]] std::string title_of(const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    result += html_text(text.substr(begin, end - begin)) + "&#10;";
  return result + html_text(text.substr(begin));
}

[[nodiscard]] std::string hits(const Layout& layout, const History& history) {
  // Wide enough to be met, narrow enough to leave the neighbours their own.
  constexpr double kWidest = 11;
  constexpr double kNarrowest = 4;
  const double apart = (layout.right - layout.left) * layout.canvas.width /
                       static_cast<double>(std::max<std::size_t>(1, history.experiments.size()));
  const double radius = std::clamp(apart / 2, kNarrowest, kWidest);
  std::string result = "<g id=\"experiments\">\n";
  for (std::size_t i = 0; i < history.experiments.size(); ++i) {
    const std::string title = title_of(hover_text(layout, history, i));
    for (const Panel* panel : {&layout.throughput, &layout.time}) {
      const Point at = layout.place(*panel, i);
      result += fmt::format(
          "<a href=\"#e{}\"><circle class=\"hit\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">"
          "<title>{}</title></circle></a>\n",
          i, at.x, layout.canvas.height - at.y, radius, title);
    }
  }
  return result + "</g>\n";
}

[[nodiscard]] std::string row(const Layout& layout, const History& history, std::size_t i) {
  const Experiment& experiment = history.experiments[i];
  const auto cell = [](const std::optional<double>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : std::string();
  };
  return fmt::format(
      "<tr id=\"e{0}\" class=\"{1}\"><td class=\"n\">{0}</td><td>{2}</td><td>{1}</td><td "
      "class=\"n\">{3}</td><td class=\"n\">{4}</td><td class=\"n\">{5}</td><td "
      "class=\"d\">{6}</td></tr>\n",
      i, word(experiment.fate), html_text(experiment.commit),
      history.measure && experiment.time_us
          ? cell(history.measure->value(*experiment.time_us), "{:.6g}")
          : cell(experiment.time_us, "{:.3f}"),
      cell(experiment.tflops_s, "{:.2f}"), cell(speed(layout, history, experiment), "{:.2f}"),
      html_text(experiment.description));
}

// gnuplot names its own parts, which would show under the pointer.
[[nodiscard]] std::string without_titles(std::string svg) {
  constexpr std::string_view kBegin = "<title>";
  constexpr std::string_view kEnd = "</title>";
  for (std::size_t begin = 0; (begin = svg.find(kBegin, begin)) != std::string::npos;) {
    const std::size_t end = svg.find(kEnd, begin);
    if (end == std::string::npos) break;
    svg.erase(begin, end + kEnd.size() - begin);
  }
  return svg;
}

}  // namespace

std::string page(const std::string& picture, const Layout& layout, const History& history) {
  const std::string svg = without_titles(picture);
  // The XML declaration is for files of their own.
  const std::size_t begin = std::min(svg.find("<svg"), svg.size());
  const std::size_t end = std::min(svg.rfind("</svg>"), svg.size());
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  text += "<meta name=\"viewport\" content=\"width=device-width\">\n";
  text += "<title>" + html_text(title(history)) + "</title>\n<style>" + std::string(kStyle) +
          "</style>\n</head>\n<body>\n";
  text += svg.substr(begin, end - begin) + hits(layout, history) + svg.substr(end);
  text +=
      "<table>\n<thead><tr><th class=\"n\">n</th><th>commit</th><th>outcome</th>"
      "<th class=\"n\">" +
      (history.measure ? html_text(history.measure->name) : std::string("us")) +
      "</th><th class=\"n\">TFLOP/s</th><th "
      "class=\"n\">speed</th><th>what was tried</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < history.experiments.size(); ++i) text += row(layout, history, i);
  return text + "</tbody>\n</table>\n</body>\n</html>\n";
}

}  // namespace autokernel::plot
