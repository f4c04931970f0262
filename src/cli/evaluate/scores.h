// How solutions did together, by the scores that other benchmarks publish: KernelBench's fast_p and
// the speed-of-light score of SOL-ExecBench.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/baseline_times.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"
#include "cli/evaluate/solution_in_case.h"

namespace autokernel::cli {

struct SolutionScore {
  std::string file;
  bool is_right = false;            // at all sizes that it was judged at
  std::optional<double> speedup;    // geometric mean over the sizes that have a baseline
  std::optional<double> sol_score;  // mean over the same
  std::string why_not;              // why it is not right
  std::vector<std::string> doubts;  // what to know of its speedup, a sentence each
};

// `baseline` has the times that speedups are over; without it, they are over the kernel that was
// measured beside the solution.
[[nodiscard]] SolutionScore score_of(const SolutionInCase& solution, const cases::Case& problem,
                                     const std::map<std::string, trial::Result>& results,
                                     const std::optional<bridge::BaselineTimes>& baseline);

// Of all solutions, judged or not: a table, then the share that is right and faster than p times
// the baseline, for KernelBench's values of p.
[[nodiscard]] std::string scores_text(const std::vector<SolutionScore>& scores);
// The same as a JSON object on a line.
[[nodiscard]] std::string scores_record(const std::vector<SolutionScore>& scores);

}  // namespace autokernel::cli
