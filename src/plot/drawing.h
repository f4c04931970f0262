// The program for gnuplot that draws a picture of a sweep, line by line, and the words that all
// such pictures have.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autokernel/plot/plot.h"
#include "plot/axis.h"
#include "plot/layout.h"

namespace autokernel::plot {

// A kind of mark, and what it stands for.
struct LegendEntry {
  std::string text;
  int shape = 7;  // gnuplot's number
  const char* colour = nullptr;
};

// Marks of the kernel and of its reference, in every picture.
inline constexpr int kDisc = 7;
inline constexpr int kTriangle = 8;

enum class TickNames : std::uint8_t { shown, hidden };

class Drawing {
 public:
  // For Format::png and Format::svg.
  Drawing(const Canvas& canvas, Format format);

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  // Above the picture, from `left` on, which is a share of the width, and below it.
  void words(const std::string& title, const std::string& headline, const std::string& footer,
             double left);
  void legend(const std::vector<LegendEntry>& entries, double left);
  // Where the panel lies, fractions of the canvas.
  void place(double left, double right, double bottom, double top);
  // Of 'x' or 'y': range, scale and ticks.
  void axis(char which, const Axis& axis, TickNames names = TickNames::shown);
  void labels(const std::vector<Label>& labels);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  Canvas canvas_;
  Format format_;
  std::string text_;
};

}  // namespace autokernel::plot
