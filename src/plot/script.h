// The program for gnuplot that draws a layout.
#pragma once

#include <string>
#include <string_view>

#include "autokernel/plot/plot.h"
#include "plot/layout.h"

namespace autokernel::plot {

// Prints the picture on standard output. Not for Format::html, whose picture is an SVG.
[[nodiscard]] std::string script(const Layout& layout, const History& history, Format format,
                                 TextSize size);

// Text as gnuplot reads it: in single quotes, in which it neither runs commands nor expands
// variables; control characters become blanks.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace autokernel::plot
