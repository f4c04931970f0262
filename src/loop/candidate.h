// What is tried, from an edit to what the ledger has of it. Used by a step, and by agents at work
// in worktrees of their own (parallel/).
#pragma once

#include <optional>
#include <string>

#include "loop/editable_set.h"
#include "loop/goal_trials.h"
#include "loop/journal.h"
#include "loop/measurer.h"
#include "loop/workspace.h"

namespace autokernel::loop {

// What is tried, committed to no branch, and the request of its trial.
struct Candidate {
  Trying trying;
  trial::Request request;
  cases::CaseFiles files;      // of the run's case
  std::string simpler_reason;  // to keep it even where it is only as fast; empty: there is none
};

// The edit that lies in the worktree of `edited` as a commit on top of the best, which no reference
// names yet. Throws Error(usage) where that is nothing new to try. `repository`: the run's own.
[[nodiscard]] Candidate commit_candidate(const repo::Repository& edited,
                                         const repo::Repository& repository,
                                         const Measurer& measurer, const Status& status,
                                         const std::string& idea, const StepOptions& options);

// The message of an experiment's commit.
[[nodiscard]] std::string message_of(int number, const std::string& tag, const std::string& idea);

// The earlier experiment with that source, an interrupted one left out; null where there is none.
[[nodiscard]] const ledger::Experiment* earlier_with(const Status& status,
                                                     const std::string& source_digest);

// The experiment with what its trial says of it.
[[nodiscard]] ledger::Experiment experiment_of(const Candidate& candidate, const Judged& judged);

// Its time on the scale of the run, on which `before` has the incumbent's; none where it has none.
[[nodiscard]] std::optional<double> time_on_scale(const Status& before,
                                                  const ledger::Experiment& experiment);

// What has to be done now: the kept one moves the branch, any other file is put back.
[[nodiscard]] Recording recording_of(const ledger::Experiment& experiment, const Trying& trying,
                                     const EditableSet& editable,
                                     const repo::Repository& repository, const Folders& folders);

}  // namespace autokernel::loop
