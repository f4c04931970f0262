// A comparison as a bar chart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/bars.h"
#include "cli/compare/rounds.h"

namespace autokernel::cli {

// A group for each size, ours first, in bytes or operations a second. Each series has a label of
// its own. None where ours has no time at any size. There is one comparison at least.
[[nodiscard]] std::optional<plot::Bars> bars_of(const std::string& title,
                                                const std::vector<Comparison>& comparisons);

}  // namespace autokernel::cli
