// What a run of a program comes to, as a number.
#pragma once

#include "autokernel/programs/verification.h"
#include "programs/verify/program_run.h"

namespace autokernel::programs {

// Throws Error(usage) where the pattern is none.
void check_pattern(const Measure& measure);
// The same, and where the run has printed nothing that it fits.
[[nodiscard]] double measured(const Measure& measure, const ProgramRun& run);

// From the values of runs in pairs: the program as it is, then with ours.
struct PairOfRuns {
  double original = 0, replaced = 0;
};
[[nodiscard]] ProgramSpeedup speedup_of(const std::vector<PairOfRuns>& pairs, bool higher_is_better,
                                        bool is_last_look);

// After how many pairs to look again: looking after each would find by chance what is not there.
[[nodiscard]] int next_look_after(int pairs);

}  // namespace autokernel::programs
