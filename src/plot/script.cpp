#include "plot/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "autokernel/base/visible_text.h"
#include "plot/colours.h"
#include "plot/terminal.h"

namespace autokernel::plot {
namespace {

struct Style {
  const char* colour;
  int dash;
};
[[nodiscard]] Style style_of(Mark mark) {
  switch (mark) {
    case Mark::baseline:
      return {kInk, 2};
    case Mark::library:
      return {kGreen, 5};
    case Mark::roofline:
      return {kPurple, 4};
  }
  return {kInk, 1};
}

// The more experiments, the smaller their marks.
[[nodiscard]] double mark_size(std::size_t count) {
  constexpr std::size_t kFew = 60;
  constexpr std::size_t kMany = 300;
  constexpr std::size_t kCrowd = 3000;
  if (count <= kFew) return 1.2;
  if (count <= kMany) return 0.8;
  return count <= kCrowd ? 0.5 : 0.3;
}

// Where gnuplot is to put a label's text, and which side of it.
struct Anchor {
  double x;
  const char* align;
};
[[nodiscard]] Anchor anchor(const Label& label) {
  switch (label.align) {
    case Align::left:
      return {label.box.left, "left"};
    case Align::center:
      return {(label.box.left + label.box.right) / 2, "center"};
    case Align::right:
      return {label.box.right, "right"};
  }
  return {label.box.left, "left"};
}

class Writer {
 public:
  Writer(const Layout& layout, const History& history, Format format)
      : layout_(layout), history_(history), format_(format) {}

  [[nodiscard]] std::string whole(TextSize size) {
    terminal(size);
    data("up", layout_.throughput);
    data("down", layout_.time);
    line("set multiplot");
    frame();
    if (format_ != Format::term) {
      words();
      legend();
      names();
    }
    panel("up", layout_.throughput, false);
    line("unset label; unset arrow; unset key");
    panel("down", layout_.time, true);
    line("unset multiplot");
    return std::move(text_);
  }

 private:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void terminal(TextSize size) {
    line("set encoding utf8");
    if (format_ == Format::term)
      line("set terminal dumb nofeed {},{} noenhanced", size.columns, size.lines);
    else
      line("{}", plot::terminal(layout_.canvas, format_));
  }

  // One block of numbers for each kind of mark; gnuplot draws nothing for an empty one, but warns.
  void data(const char* name, const Panel& panel) {
    const auto& experiments = history_.experiments;
    for (const Fate fate : {Fate::kept, Fate::discarded, Fate::failed}) {
      line("${}{} << EOD", name, static_cast<int>(fate));
      for (std::size_t i = 0; i < experiments.size(); ++i) {
        if (drawn_as(panel, i) == fate)
          line("{} {:.8g}", i, panel.values[i].value_or(panel.failed_at));
      }
      line("EOD");
    }
    line("${}best << EOD", name);
    std::optional<double> before;
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      const auto& best = layout_.story.best_after[i];
      const std::optional<double> value = best ? panel.values[*best] : std::nullopt;
      if (!value || value == before) continue;
      if (before) line("{} {:.8g}", i, *before);
      line("{} {:.8g}", i, *value);
      before = value;
    }
    if (before) line("{} {:.8g}", layout_.numbers.high, *before);
    line("EOD");
    line("${}bars << EOD", name);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      const auto& value = panel.values[i];
      const auto& interval = panel.intervals[i];
      if (interval && value && experiments[i].fate == Fate::kept)
        line("{} {:.8g} {:.8g} {:.8g}", i, *value, interval->low, interval->high);
    }
    line("EOD");
  }

  // What has no time has no place but that of what failed.
  [[nodiscard]] Fate drawn_as(const Panel& panel, std::size_t experiment) const {
    return panel.values[experiment] ? history_.experiments[experiment].fate : Fate::failed;
  }

  void frame() {
    line("set border 3 lc rgb '{}'", kGrey);
    line("set tics nomirror out textcolor rgb '{}'", kInk);
    // In characters its dots would look like marks.
    if (format_ != Format::term) line("set grid ytics back lc rgb '#dddddd' lw 1 dt 1");
    line("unset key");
    if (format_ != Format::term) {
      line("set lmargin at screen {}; set rmargin at screen {}", layout_.left, layout_.right);
    }
    line("set xrange [{:.8g}:{:.8g}]", layout_.numbers.low, layout_.numbers.high);
  }

  void words() {
    const double font = layout_.canvas.font;
    // Bold letters, many of them capitals and digits, are that much wider. A title shrinks to fit,
    // and is cut where that does not do.
    constexpr double kBold = 1.35;
    constexpr std::size_t kLongestTitle = 110;
    const std::string heading = shortened(title(history_), kLongestTitle);
    const double room = (1 - layout_.left - 0.01) * layout_.canvas.width;
    const double heading_font = std::min(1.5 * font, room / (kBold * width_of(heading)));
    // An SVG takes the name of a font for that of its family.
    const char* name = format_ == Format::png ? "DejaVu Sans:Bold" : "";
    line("set label {} at screen {},0.968 font '{},{:.1f}' textcolor rgb '{}'", in_quotes(heading),
         layout_.left, name, font_size(heading_font, format_), kInk);
    line("set label {} at screen {},0.934 font ',{}' textcolor rgb '{}'",
         in_quotes(headline(history_, layout_.story)), layout_.left,
         font_size(1.25 * font, format_), kBlue);
    line("set label {} at screen {},0.017 textcolor rgb '{}'",
         in_quotes(footer(history_, layout_.story)), layout_.left, kPale);
  }

  // Drawn by hand: gnuplot's own takes its place from the longest entry.
  void legend() {
    constexpr double kLegend = 0.9;
    struct Entry {
      const char* text;
      int shape;
      double size;
      const char* colour;
    };
    const std::array<Entry, 3> entries{
        {{"kept", 7, 1.4, kBlue}, {"discarded", 6, 1.1, kGrey}, {"failed", 2, 1.1, kVermilion}}};
    double x = layout_.left + 0.006;
    for (const Entry& entry : entries) {
      line("set label '' at screen {},{} point pt {} ps {} lc rgb '{}' lw 1.5", x, kLegend,
           entry.shape, entry.size, entry.colour);
      line("set label '{}' at screen {},{} textcolor rgb '{}'", entry.text, x + 0.009, kLegend,
           kPale);
      const double width = (width_of(entry.text) + 3) * layout_.canvas.font;
      x += width / layout_.canvas.width;
    }
    line("set arrow from screen {0},{2} to screen {1},{2} nohead lc rgb '{3}' lw 3", x - 0.006,
         x + 0.012, kLegend, kBlue);
    line("set label 'best so far' at screen {},{} textcolor rgb '{}'", x + 0.018, kLegend, kPale);
  }

  void names() {
    const Canvas& canvas = layout_.canvas;
    for (const Label& label : milestones(layout_, history_)) {
      const double middle = (label.box.bottom + label.box.top) / 2;
      const auto [x_of_text, align] = anchor(label);
      line("set label {} at screen {:.5f},{:.5f} {} textcolor rgb '{}' front",
           in_quotes(label.text), x_of_text / canvas.width, middle / canvas.height, align, kInk);
      // A label that had to move away from its point is tied to it.
      const bool above = label.box.bottom > label.at.y;
      const double edge = above ? label.box.bottom : label.box.top;
      if (std::abs(edge - label.at.y) < 1.5 * canvas.font) continue;
      const double x = std::clamp(label.at.x, label.box.left, label.box.right);
      line(
          "set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead lc rgb '{}' lw 0.7 "
          "front",
          x / canvas.width, edge / canvas.height, label.at.x / canvas.width,
          label.at.y / canvas.height, kGrey);
    }
  }

  void axis(const Panel& panel, bool lowest) {
    const bool text = format_ == Format::term;
    if (text) {
      line("set tmargin at screen {}; set bmargin at screen {}", lowest ? 0.46 : 0.97,
           lowest ? 0.1 : 0.52);
    } else {
      line("set tmargin at screen {}; set bmargin at screen {}", panel.top, panel.bottom);
    }
    line("set ylabel {} textcolor rgb '{}'", in_quotes(panel.title), kInk);
    line("unset logscale y");
    if (panel.axis.logarithmic) line("set logscale y");
    line("set yrange [{:.8g}:{:.8g}]", panel.axis.low, panel.axis.high);
    std::string ticks;
    for (const double tick : panel.axis.ticks)
      ticks += fmt::format("{}'{}' {:.8g}", ticks.empty() ? "" : ", ", tick_text(tick / panel.unit),
                           tick);
    line("set ytics ({})", ticks);
    ticks.clear();
    for (const double tick : layout_.numbers.ticks)
      ticks += fmt::format("{}'{}' {:.8g}", ticks.empty() ? "" : ", ",
                           lowest ? tick_text(tick) : std::string(), tick);
    line("set xtics ({})", ticks);
    if (!lowest) return;
    if (text) {
      line("set xlabel 'experiment'");
    } else {
      line("set label 'experiment' at screen {},0.03 right textcolor rgb '{}'", layout_.right,
           kInk);
    }
  }

  // Lines are named at the right, one below the other where they are close; those off the scale at
  // the end where they are.
  void references(const Panel& panel) {
    const double height = panel.top - panel.bottom;
    const double apart = 1.35 * layout_.canvas.font / layout_.canvas.height;
    std::vector<const ReferenceLine*> lines;
    lines.reserve(panel.lines.size());
    for (const ReferenceLine& reference : panel.lines) lines.push_back(&reference);
    std::ranges::sort(lines, std::greater{}, &ReferenceLine::value);
    double above = panel.top + apart;
    for (const ReferenceLine* reference : lines) {
      const Style style = style_of(reference->mark);
      const double there = std::clamp(panel.axis.position(reference->value), 0.02, 0.98);
      above = std::min(panel.bottom + there * height, above - apart);
      const std::string arrow = panel.more_is_better ? " \u2191" : " \u2193";
      line("set label {} at screen {},{:.5f} textcolor rgb '{}'",
           in_quotes(reference->text + (reference->beyond ? arrow : "")), layout_.right + 0.006,
           above, style.colour);
      if (reference->beyond) continue;
      line(
          "set arrow from graph 0,first {0:.8g} to graph 1,first {0:.8g} nohead dt {1} lw 1.6 lc "
          "rgb '{2}' back",
          reference->value, style.dash, style.colour);
    }
  }

  void panel(const char* name, const Panel& panel, bool lowest) {
    axis(panel, lowest);
    if (format_ != Format::term) references(panel);
    const double size = mark_size(history_.experiments.size());
    std::string parts;
    const auto add = [&](bool wanted, const std::string& part) {
      if (wanted) parts += (parts.empty() ? "plot " : ", \\\n  ") + part + " notitle";
    };
    const auto is_there = [&](Fate fate) {
      for (std::size_t i = 0; i < history_.experiments.size(); ++i) {
        if (drawn_as(panel, i) == fate) return true;
      }
      return false;
    };
    const bool has_best = layout_.story.best.has_value();
    if (format_ == Format::term) {
      add(has_best, fmt::format("${}best using 1:2 with lines", name));
      add(is_there(Fate::discarded), fmt::format("${}1 using 1:2 with points pt 'o'", name));
      add(is_there(Fate::failed), fmt::format("${}2 using 1:2 with points pt 'x'", name));
      add(is_there(Fate::kept), fmt::format("${}0 using 1:2 with points pt 'O'", name));
    } else {
      const auto& first = layout_.story.baseline;
      const double baseline = first ? panel.values[*first].value_or(0) : 0;
      add(has_best,
          fmt::format("${}best using 1:({:.8g}):2 with filledcurves fs solid 0.12 noborder "
                      "lc rgb '{}'",
                      name, baseline, kBlue));
      add(is_there(Fate::discarded),
          fmt::format("${}1 using 1:2 with points pt 6 ps {} lw 1.3 lc rgb '{}'", name, size,
                      kGrey));
      add(has_best, fmt::format("${}best using 1:2 with lines lw 3 lc rgb '{}'", name, kBlue));
      add(is_there(Fate::failed),
          fmt::format("${}2 using 1:2 with points pt 2 ps {} lw 1.8 lc rgb '{}'", name, size,
                      kVermilion));
      add(has_bars(panel),
          fmt::format("${}bars using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '{}'", name,
                      kBlue));
      add(is_there(Fate::kept), fmt::format("${}0 using 1:2 with points pt 7 ps {} lc rgb '{}'",
                                            name, 1.3 * size, kBlue));
    }
    line("{}", parts);
  }

  [[nodiscard]] bool has_bars(const Panel& panel) const {
    for (std::size_t i = 0; i < history_.experiments.size(); ++i) {
      if (panel.intervals[i] && panel.values[i] && history_.experiments[i].fate == Fate::kept)
        return true;
    }
    return false;
  }

  const Layout& layout_;
  const History& history_;
  const Format format_;
  std::string text_;
};

}  // namespace

std::string script(const Layout& layout, const History& history, Format format, TextSize size) {
  return Writer(layout, history, format).whole(size);
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : valid_utf8(text)) {
    constexpr unsigned char kDelete = 0x7F;
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'') {
      // gnuplot takes two of them right behind the first for the end of the text.
      result += "\u2019";
    } else {
      result += byte < ' ' || byte == kDelete ? ' ' : c;
    }
  }
  return result + "'";
}

}  // namespace autokernel::plot
