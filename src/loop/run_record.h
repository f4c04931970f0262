// The record of the run on the branch that is checked out: the ledger, and where the run stands by
// it. The state is worked out once and then kept up. Whether the record is as it was written is
// tampering.h's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/ledger/ledger.h"
#include "loop/run_state.h"
#include "loop/workspace.h"

namespace autokernel::loop {

class RunRecord {
 public:
  explicit RunRecord(const Workspace& workspace) : workspace_(workspace) {}

  // Who does not hold the lock only reads.
  [[nodiscard]] ledger::Ledger open_ledger() const;
  // What was found on opening it for the state.
  [[nodiscard]] const std::vector<std::string>& ledger_notes() const { return ledger_notes_; }

  // The run of the branch that the head is on. Throws Error(repository) where there is none.
  [[nodiscard]] RunState& state();
  [[nodiscard]] Status& status() { return state().status; }
  // The same with the files that have strayed by now.
  [[nodiscard]] RunState& look();
  // Makes this the state, that of the last run on the branch; throws Error(repository) where
  // there is none.
  RunState& adopt(std::optional<RunState> found, const std::string& branch);
  // The next to ask for the state reads the ledger again.
  void forget() { known_.reset(); }

  // Does what is decided, and says what was in the way.
  void apply(const Recording& recording);
  // Workspace::repair(), which may have added to the record.
  void repair();

 private:
  // From the ledger, and without a look into git.
  RunState& read(const std::string& branch);
  // Removes what a program was writing that was killed in a restore or a turn's tidying up: no
  // journal names the file. True where git may have seen some of it; only who holds the lock may.
  [[nodiscard]] bool clear_unfinished(const Status& status) const;

  const Workspace& workspace_;
  std::optional<RunState> known_;
  std::vector<std::string> ledger_notes_;
};

}  // namespace autokernel::loop
