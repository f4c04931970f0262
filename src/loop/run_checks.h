// Whether a run is as its last command left it, before anything is added to it.
#pragma once

#include "loop/measurer.h"
#include "loop/run_record.h"
#include "loop/workspace.h"

namespace autokernel::loop {

// After a look (RunRecord::look). Throws Error: repository where the branch is not at the best,
// scope where a file, a rule of git's, the record or the program is not what it was.
void require_sound(const Workspace& workspace, RunRecord& record, const Measurer& measurer);

}  // namespace autokernel::loop
