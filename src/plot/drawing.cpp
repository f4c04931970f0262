#include "plot/drawing.h"

#include <algorithm>
#include <cmath>

#include "plot/colours.h"
#include "plot/labels.h"
#include "plot/script.h"
#include "plot/terminal.h"

namespace autokernel::plot {

Drawing::Drawing(const Canvas& canvas, Format format) : canvas_(canvas), format_(format) {
  line("set encoding utf8");
  line("{}", terminal(canvas, format));
  line("set border 3 lc rgb '{}'", kGrey);
  line("set tics nomirror out textcolor rgb '{}'", kInk);
  line("set grid back lc rgb '#c8c8c8' lw 1 dt 1");
  line("unset key");
}

void Drawing::words(const std::string& title, const std::string& headline,
                    const std::string& footer, double left) {
  // A title shrinks to fit, and is cut where that does not do; bold letters are that much wider.
  constexpr double kBold = 1.35;
  constexpr std::size_t kLongest = 110;
  const std::string heading = shortened(title, kLongest);
  const double room = (1 - left - 0.01) * canvas_.width;
  const double font = std::min(1.5 * canvas_.font, room / (kBold * width_of(heading)));
  // An SVG takes the name of a font for that of its family.
  const char* name = format_ == Format::png ? "DejaVu Sans:Bold" : "";
  line("set label {} at screen {},0.965 font '{},{:.1f}' textcolor rgb '{}'", in_quotes(heading),
       left, name, font_size(font, format_), kInk);
  line("set label {} at screen {},0.925 font ',{}' textcolor rgb '{}'", in_quotes(headline), left,
       font_size(1.15 * canvas_.font, format_), kBlue);
  line("set label {} at screen {},0.02 textcolor rgb '{}'", in_quotes(footer), left, kPale);
}

void Drawing::legend(const std::vector<LegendEntry>& entries, double left) {
  constexpr double kHeight = 0.89;
  double x = left + 0.006;
  for (const LegendEntry& entry : entries) {
    line("set label '' at screen {},{} point pt {} ps 1.5 lc rgb '{}' lw 1.8", x, kHeight,
         entry.shape, entry.colour);
    line("set label {} at screen {},{} textcolor rgb '{}'", in_quotes(entry.text), x + 0.011,
         kHeight, kPale);
    x += (width_of(entry.text) + 3) * canvas_.font / canvas_.width;
  }
}

void Drawing::place(double left, double right, double bottom, double top) {
  line("set lmargin at screen {}; set rmargin at screen {}", left, right);
  line("set bmargin at screen {}; set tmargin at screen {}", bottom, top);
}

void Drawing::axis(char which, const Axis& axis, TickNames names) {
  line("{} logscale {}", axis.logarithmic ? "set" : "unset", which);
  line("set {}range [{:.8g}:{:.8g}]", which, axis.low, axis.high);
  std::string ticks;
  for (const double tick : axis.ticks)
    ticks += fmt::format("{}'{}' {:.8g}", ticks.empty() ? "" : ", ",
                         names == TickNames::shown ? tick_text(tick) : "", tick);
  line("set {}tics ({})", which, ticks);
}

void Drawing::labels(const std::vector<Label>& labels) {
  for (const Label& label : labels) {
    const Box& box = label.box;
    const double x = label.align == Align::left    ? box.left
                     : label.align == Align::right ? box.right
                                                   : (box.left + box.right) / 2;
    const char* const align = label.align == Align::left    ? "left"
                              : label.align == Align::right ? "right"
                                                            : "center";
    line("set label {} at screen {:.5f},{:.5f} {} textcolor rgb '{}' front", in_quotes(label.text),
         x / canvas_.width, (box.bottom + box.top) / 2 / canvas_.height, align, kInk);
    // A label that had to move away from its point is tied to it.
    const double edge = box.bottom > label.at.y ? box.bottom : box.top;
    if (std::abs(edge - label.at.y) < 1.5 * canvas_.font) continue;
    line(
        "set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead lc rgb '{}' lw 0.7 "
        "front",
        std::clamp(label.at.x, box.left, box.right) / canvas_.width, edge / canvas_.height,
        label.at.x / canvas_.width, label.at.y / canvas_.height, kGrey);
  }
}

}  // namespace autokernel::plot
