// What a kernel is kept for beyond its time at one size: a score of several sizes, and guard-rails
// (cases::Goal).
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"

namespace autokernel::trial {

// A kernel against its incumbent at one size, in a trial of its own.
struct PartOfScore {
  std::string size;
  double weight = 1;
  PairedComparison comparison;
};

// The comparison by the weighted geometric mean of the times at all sizes, of at least one: the
// gain is that of the mean of log ratios, its standard error that of independent means, with
// degrees of freedom by Welch and Satterthwaite (1946). The rule is that for one size
// (decision.h). What speaks against a gain at one of the sizes, slow launches or processes that do
// not confirm it, speaks against the score as well.
[[nodiscard]] PairedComparison score_of(const std::vector<PartOfScore>& parts);

// Whether the candidate has launches that are slow, more than chance explains.
[[nodiscard]] bool has_slow_launches(const PairedComparison& comparison);

// Which guard-rail a kernel is over by its resources or its errors, "it has 140 registers per
// thread, and 128 is allowed"; empty: none.
[[nodiscard]] std::string guard_fault(const cases::Goal& goal, const Result& result);

}  // namespace autokernel::trial
