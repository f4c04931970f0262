// The program itself: what it was made of when a run was started, and whether it still is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/ledger/entry.h"

namespace autokernel::loop {

// As they are now; those that do not exist are left out. Throws Error(environment) for one that
// cannot be read.
[[nodiscard]] std::vector<ledger::HarnessFile> harness_files(
    const std::vector<std::filesystem::path>& files);

// A sentence on each that is not what it was. `files` are the ones in use now, told apart by their
// names. One whose stamp is the same is not read again.
[[nodiscard]] std::vector<std::string> harness_faults(
    const std::vector<ledger::HarnessFile>& then, const std::vector<std::filesystem::path>& files);

}  // namespace autokernel::loop
