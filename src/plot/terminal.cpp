#include "plot/terminal.h"

#include <fmt/format.h>

namespace autokernel::plot {

std::string terminal(const Canvas& canvas, Format format) {
  const bool is_png = format == Format::png;
  return fmt::format("set terminal {} size {},{} font '{},{}' noenhanced background '#ffffff'",
                     is_png ? "pngcairo" : "svg dynamic", canvas.width, canvas.height,
                     is_png ? "DejaVu Sans" : "DejaVu Sans, Verdana, sans-serif",
                     font_size(canvas.font, format));
}

double font_size(double pixels, Format format) {
  // pngcairo takes points, 72 to an inch, and Pango draws 96 pixels to an inch; svg takes pixels.
  constexpr double kPointsInPixel = 72.0 / 96.0;
  return format == Format::png ? pixels * kPointsInPixel : pixels;
}

}  // namespace autokernel::plot
