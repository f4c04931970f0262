// A run's case as it was when the run was started, whatever has become of its files.
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/repo/repository.h"

namespace autokernel::loop {

// From git's store. Throws Error(repository) where git has lost a file that was in no commit, and
// the worktree has it no more either.
[[nodiscard]] cases::CaseFiles original_case(const repo::Repository& repository,
                                             const ledger::RunStarted& run);

// A sentence on each guarded file of the worktree that is another than it was.
[[nodiscard]] std::vector<std::string> case_faults(const repo::Repository& repository,
                                                   const ledger::RunStarted& run);

}  // namespace autokernel::loop
