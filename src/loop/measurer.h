// Measures kernels of a run: makes the requests of trials, has them run, and keeps their logs. What
// a result means for the run is for others to say.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "autokernel/base/owned.h"
#include "autokernel/cases/case.h"
#include "autokernel/loop/loop.h"
#include "loop/hidden_sizes.h"
#include "loop/workspace.h"

namespace autokernel::loop {

class Measurer {
 public:
  Measurer(const Workspace& workspace, LoopContext context);

  // The request of a trial of that case in that run, for the kernel of a commit.
  [[nodiscard]] trial::Request request(const ledger::RunStarted& run, cases::CaseFiles files,
                                       const std::string& commit) const;
  // The same for the run's best, against the baseline where anything was kept.
  [[nodiscard]] trial::Request request_of_best(const Status& status, cases::CaseFiles files) const;
  // An experiment of that run, to compare with.
  [[nodiscard]] trial::Incumbent incumbent(const ledger::RunStarted& run,
                                           const ledger::Experiment& experiment) const;
  // What a record has of notifications; none where nobody is told.
  [[nodiscard]] std::optional<ledger::Webhook> webhook(Told told) const {
    return context_.webhook ? std::optional(context_.webhook(told)) : std::nullopt;
  }
  // The best of a run, with what guards have been used up by then.
  [[nodiscard]] trial::Incumbent best_as_incumbent(const Status& status) const;
  // Runs a trial, and writes its log to `log` (from the root).
  [[nodiscard]] trial::Result measure(const trial::Request& request, const std::string& log) const;
  // Runs a trial of which nothing but the verdict may become known.
  [[nodiscard]] trial::Verdict try_unseen(const trial::Request& request) const;
  [[nodiscard]] const HiddenSizes& hidden_sizes() const { return hidden_sizes_; }
  // Runs the same trial of `what` in fresh processes, up to the first that is not correct.
  [[nodiscard]] std::vector<trial::Result> measure_again(const trial::Request& request,
                                                         int processes,
                                                         const std::string& what) const;

  // Whether the runner of a trial may be one that was got ready before (trial/resident.h). Never of
  // those that measure again.
  [[nodiscard]] bool may_be_ready() const { return context_.runner.may_be_ready; }

  // The program's own files.
  [[nodiscard]] const std::vector<std::filesystem::path>& harness() const {
    return context_.harness;
  }
  // While what is returned lives, the first signal during a trial goes into `signal`, which is 0
  // until then, and the step under way is finished; the second, for those who cannot wait, ends it.
  [[nodiscard]] Owned<Measurer*> finishing_a_step(int& signal);

 private:
  const Workspace& workspace_;
  LoopContext context_;
  HiddenSizes hidden_sizes_;
};

}  // namespace autokernel::loop
