// What was changed in the record of a run between two commands: in the ledger, results.tsv, the
// references in git, or the program itself. What the run's files say is scope.h's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/loop/status.h"
#include "autokernel/repo/repository.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {

// How much of the ledger is looked at: its end, which takes no time, or all of it.
enum class Extent : std::uint8_t { end, whole };

// What was changed in the ledger since it was written, each in a sentence.
[[nodiscard]] std::vector<std::string> ledger_faults(const Workspace& workspace, RunRecord& record,
                                                     Extent extent);
// A sentence on each reference of an experiment that is gone or names another commit.
[[nodiscard]] std::vector<std::string> reference_faults(const repo::Repository& repository,
                                                        const Status& status);

// Throws Error(scope) where the ledger, results.tsv, the references or the program itself
// (`harness` is what it is made of now) are not what they were, naming all that was found and what
// to do. A table that is gone is made again.
void require_untampered(const Workspace& workspace, RunRecord& record,
                        const std::vector<std::filesystem::path>& harness, Extent extent);

}  // namespace autokernel::loop
