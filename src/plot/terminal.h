// What gnuplot draws on: the kind of picture, its size and its font.
#pragma once

#include <string>

#include "autokernel/plot/plot.h"
#include "plot/layout.h"

namespace autokernel::plot {

// The line of gnuplot's program. Not for Format::term; Format::html has an SVG.
[[nodiscard]] std::string terminal(const Canvas& canvas, Format format);

// What gnuplot calls the size of a font of so many pixels.
[[nodiscard]] double font_size(double pixels, Format format);

}  // namespace autokernel::plot
