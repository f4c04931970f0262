// Draws the history of a run. gnuplot does the drawing; what stands where is decided here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "autokernel/plot/history.h"

namespace autokernel::plot {

enum class Format : std::uint8_t { png, svg, html, term };

// A terminal's size, in characters, for Format::term.
struct TextSize {
  int columns = 100;
  int lines = 42;
};

// The bytes of the picture: two panels, throughput and time, with every experiment. `gnuplot` is
// the program. Throws Error(usage) where there is no experiment at all, Error(environment) where
// gnuplot does not run or reports a mistake.
[[nodiscard]] std::string draw(const History& history, Format format,
                               const std::filesystem::path& gnuplot, TextSize size = {});

// gnuplot on the PATH. Throws Error(environment) saying how to install it where there is none.
[[nodiscard]] std::filesystem::path find_gnuplot();

}  // namespace autokernel::plot
