// From the entries of the ledger to where a run stands.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "autokernel/ledger/ledger.h"
#include "autokernel/loop/status.h"

namespace autokernel::loop {

struct RunState {
  Status status;
  // Of the run in the ledger: its start, and what was written last.
  ledger::LineSpan first_line;
  ledger::LineSpan last_line;
};

// Works out the state of the last run on a branch: takes in the entries of the ledger, all of
// them, in order.
class RunStateReader {
 public:
  // Makes room for so many entries at once: to move experiments as they become more takes longer
  // than to read them.
  RunStateReader(std::string branch, std::size_t entries)
      : branch_(std::move(branch)), entries_(entries) {}

  void take(const ledger::LineSpan& line, ledger::Entry&& entry);
  // None where no run was started on the branch.
  [[nodiscard]] std::optional<RunState> state() && { return std::move(state_); }

 private:
  void begin(const ledger::LineSpan& line, ledger::RunStarted&& run);

  std::string branch_;
  std::size_t entries_;
  std::optional<RunState> state_;
};

// Counts one more experiment, the run's next.
void add_to(Status& status, ledger::Experiment&& experiment);

}  // namespace autokernel::loop
