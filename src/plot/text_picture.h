// A picture of characters: its words are lines of their own, which are as long as they have to be,
// above what gnuplot draws.
#pragma once

#include <string>

#include "autokernel/plot/history.h"
#include "plot/summary.h"

namespace autokernel::plot {

// What the picture is of, what came out, and what each mark means; broken between words where a
// line would be longer than `columns`.
[[nodiscard]] std::string words_above(const History& history, const Story& story, int columns);
// The lines that are left for the picture below those words, of `lines` in all.
[[nodiscard]] int lines_below(const std::string& words, int lines);
// What gnuplot drew, without the form feed before it, the blanks that end its lines, and blank
// lines around it.
[[nodiscard]] std::string without_margins(const std::string& picture);

}  // namespace autokernel::plot
