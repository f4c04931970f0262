// What the runs of the loop have done about the cases of a program.
#pragma once

#include <filesystem>
#include <vector>

#include "autokernel/programs/plan.h"

namespace autokernel::cli {

// Of the cases in that folder, from the ledger of the repository that it lies in; none where that
// has none. A case is on a plateau after `plateau` experiments in a row without a gain; by default,
// after as many as a run of the loop ends, unless it is told otherwise.
inline constexpr int kPlateau = 20;
[[nodiscard]] std::vector<programs::Effort> efforts_of(
    const std::filesystem::path& folder, const std::vector<programs::ExtractedCase>& cases,
    int plateau = kPlateau);

}  // namespace autokernel::cli
