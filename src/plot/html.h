// One page that needs nothing beside it: the picture, a word on each experiment under the pointer,
// and a table.
#pragma once

#include <string>

#include "plot/layout.h"

namespace autokernel::plot {

// `picture` is the SVG of this layout, as gnuplot wrote it.
[[nodiscard]] std::string page(const std::string& picture, const Layout& layout,
                               const History& history);

}  // namespace autokernel::plot
