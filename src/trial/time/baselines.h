// What else computes the same, and how fast: libraries that a user would believe, timed by the
// runner right after the kernel, with none of the candidate's code loaded.
#pragma once

#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "autokernel/trial/result.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {

struct BaselineTask {
  const driver::Device& device;  // a GPU
  const SizedCase& sized;        // of a case whose reference is a library's product
  const InputMaker& maker;
  const compile::Program& gpu_tools;  // gpu_tools_source()
};

// cuBLASLt as it chooses itself, and the best of its heuristics, all of which are timed: medians of
// 20 launches each, caches cold. Throws Error(environment) where it is not there.
[[nodiscard]] std::vector<Baseline> time_baselines(const BaselineTask& task);

}  // namespace autokernel::trial
