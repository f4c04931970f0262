// A comparison as a table, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/rounds.h"

namespace autokernel::cli {

// Of one size: a line for each opponent, ours first and then the fastest, and below it how each is
// configured.
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

// One object (docs/compare.md) and a newline.
[[nodiscard]] std::string comparison_json(const std::vector<Comparison>& comparisons, int rounds);

}  // namespace autokernel::cli
