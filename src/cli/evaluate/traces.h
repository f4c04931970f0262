// What became of a solution at its workloads, added to a file of traces.
#pragma once

#include <map>
#include <string>

#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"
#include "cli/evaluate/solution_in_case.h"

namespace autokernel::cli {

// What a file of traces holds; nothing where it is not there. Throws Error(usage) for another file,
// which is not added to.
[[nodiscard]] std::string traces_so_far(const std::string& file);

// A line for every workload that was judged: for each size that has its values.
[[nodiscard]] std::string trace_lines(const SolutionInCase& solution, const cases::Case& problem,
                                      const std::map<std::string, trial::Result>& results);

}  // namespace autokernel::cli
