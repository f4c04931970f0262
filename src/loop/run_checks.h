// Whether a run is as its last command left it, before anything is added to it.
#pragma once

#include "loop/measurer.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {

// After a look (RunRecord::look). Throws Error: repository where the branch is not at the best,
// scope where a file, a rule of git's, the record or the program is not what it was.
void require_sound(const Workspace& workspace, RunRecord& record, const Measurer& measurer);

// Throws Error(usage) for a run at a place that this user has not named: no agent is to edit what
// cannot be measured.
void require_known_device(const ledger::RunStarted& run);

}  // namespace autokernel::loop
