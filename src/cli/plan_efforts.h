// What the runs of the loop have done about the cases of a program.
#pragma once

#include <filesystem>
#include <vector>

#include "autokernel/programs/plan.h"

namespace autokernel::cli {

// Of the cases in that folder, from the ledger of the repository that it lies in; none where that
// has none.
[[nodiscard]] std::vector<programs::Effort> efforts_of(
    const std::filesystem::path& folder, const std::vector<programs::ExtractedCase>& cases);

}  // namespace autokernel::cli
