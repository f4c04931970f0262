// What those share that have agents work: when to stop, and how the worktree is set right after
// them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "autokernel/loop/status.h"
#include "loop/agent_cleanup.h"
#include "loop/run_record.h"
#include "loop/saved_index.h"
#include "loop/workspace.h"

namespace autokernel::loop {

// The bounds of one drive, counted from when this is made; not by the time of day, which may be set
// while an agent works.
class DriveBudget {
 public:
  explicit DriveBudget(const ledger::Budget& budget) : budget_(budget) {}
  // Why no more experiments are made, after so many; empty: go on.
  [[nodiscard]] std::string why_stop(const Status& status, int experiments) const;

 private:
  const ledger::Budget& budget_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// What the user has done since the run was started or driven last is not taken from him, nor laid
// on the agent. After a turn that was cut short nobody knows whose doing it is. Throws Error(scope)
// where a file that decides what is measured is among it.
void take_over_what_changed(const Workspace& workspace, RunRecord& record);

// What the journal says while the worktree is set right: whoever finds it clears the locks away.
// The editable files are set to those of `file_from`, unless that is empty.
[[nodiscard]] Recording nothing_to_record(const Workspace& workspace, RunRecord& record,
                                          const std::string& what, const std::string& file_from);

// Sets the worktree right after an agent, or several.
[[nodiscard]] Cleanup clean_up_under_journal(const Workspace& workspace, RunRecord& record,
                                             const std::optional<SavedIndex>& index);

}  // namespace autokernel::loop
