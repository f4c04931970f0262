// What there is to draw: the rows of a table of results, with what the ledger beside it adds.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "autokernel/plot/history.h"

namespace autokernel::cli {

// results.tsv in the folder `here`, or in the nearest one above it that has one, up to the
// repository's root. Throws Error(usage) where there is none.
[[nodiscard]] std::filesystem::path find_results(const std::filesystem::path& here);

// On the `wanted` scale, as far as there is a ledger that has every row; else of medians. Throws
// Error(usage) for a table that is damaged, naming its line, and for one without rows. A ledger
// that cannot be read is left out, and `err` told so.
[[nodiscard]] plot::History read_history(const std::filesystem::path& results, plot::Scale wanted,
                                         std::ostream& err);

// The same experiments by another number that a case of commands measures: a guard-rail's. Medians,
// each of runs of its own, as the ledger has them. Throws Error(usage) where there is none of that
// name, naming those that there are.
[[nodiscard]] plot::History by_guard(plot::History history, const std::filesystem::path& results,
                                     const std::string& name);

}  // namespace autokernel::cli
