// All trials of one kernel: at the run's size, at the other sizes of the case's score, and of what
// would be kept at those of its guard-rails and at the hidden ones (cases::Goal).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/ledger/entry.h"
#include "autokernel/trial/result.h"
#include "loop/headline.h"
#include "loop/hidden_sizes.h"
#include "loop/measurer.h"

namespace autokernel::loop {

struct Judged {
  // Of the trial at the run's size, but for the verdict, the reason and the comparison, which are
  // those of all trials.
  trial::Result result;
  std::vector<ledger::SizeFigures> sizes;                      // where several make the score
  std::map<std::string, trial::PairedComparison> comparisons;  // by size, where there are any
};

class GoalTrials {
 public:
  // Of kernels of that run of that case. Throws Error(usage) where hidden sizes that the measurer
  // was given do not go with the case.
  GoalTrials(const Measurer& measurer, const ledger::RunStarted& run,
             const cases::CaseFiles& files);

  // `request` is that of the trial at the run's size, whose log goes to `log` (from the root);
  // those of the others go beside it. Ends with the first trial that is not correct.
  [[nodiscard]] Judged measure(trial::Request request, const std::string& log) const;

  // Measures a kernel again at each size of the score, in so many fresh processes; up to the first
  // that is not correct.
  [[nodiscard]] std::vector<ResultsAtSize> measure_again(const trial::Request& request,
                                                         int processes,
                                                         const std::string& what) const;
  // How many sizes were hidden, and whether that kernel is right at all of them.
  struct Unseen {
    std::size_t sizes = 0;
    trial::Verdict verdict = trial::Verdict::correct;
  };
  [[nodiscard]] Unseen try_hidden_sizes(const trial::Request& request) const;

 private:
  [[nodiscard]] bool have_several_sizes() const { return score_.size() > 1; }
  // Trials at the other sizes of the score; whether all are correct.
  [[nodiscard]] bool measure_score(const trial::Request& request, const std::string& log,
                                   Judged& judged) const;
  // Trials at sizes that may not lose too much.
  [[nodiscard]] std::string loss_fault(const trial::Request& request, const std::string& log,
                                       const Judged& judged) const;
  const Measurer& measurer_;
  const ledger::RunStarted& run_;
  cases::Goal goal_;
  std::map<std::string, double> score_;  // at least the run's size
  HiddenSizes::Extended hidden_;
};

}  // namespace autokernel::loop
