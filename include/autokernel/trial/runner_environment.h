// What a runner is given of its user's environment. Libraries are steered by variables: one of
// OpenBLAS's halves the library's speed, one of CUDA's makes every launch wait. So a runner gets
// those on a fixed list and no others, and its record has each one that can bend a time.
#pragma once

#include <string>
#include <vector>

#include "autokernel/base/environment.h"

namespace autokernel::trial {

struct RunnerEnvironment {
  Variables variables;  // all that the runner gets
  // Names of those that it does not get although they are set, and that would have changed what is
  // measured.
  std::vector<std::string> ignored;
};

// Out of the variables of who starts the runner.
[[nodiscard]] RunnerEnvironment runner_environment(const Variables& ours);

// A sentence about the ignored ones, for the user; empty where there are none.
[[nodiscard]] std::string warning_of(const RunnerEnvironment& environment);

// Those that can change what is measured, whether they are on the list or not.
[[nodiscard]] Variables affecting_measurements(const Variables& variables);

}  // namespace autokernel::trial
