// What else computes the same, and how fast: libraries that a user would believe, timed by the
// runner right after the kernel, with none of the candidate's code loaded.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "autokernel/trial/result.h"
#include "trial/inputs/inputs.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

struct BaselineTask {
  const driver::Device& device;
  const SizedCase& sized;
  const InputMaker& maker;
  const compile::Program* gpu_tools;  // gpu_tools_source(); null on the emulated device
  std::string architecture;           // "sm_90"
  // Of what a baseline wrote: whether it is what the kernel must write.
  std::function<std::optional<Rejection>(const LaunchRecord&)> judge;
  std::function<void()> get_on;  // is called often while something is built
};

struct TimedBaselines {
  std::vector<Baseline> baselines;
  std::vector<std::string> notes;  // of what could not be timed, and why
};

// Medians of 20 runs each, with cold caches on a GPU. Of a product that cuBLAS computes, on a GPU:
// cuBLASLt as it chooses itself, and the best of its heuristics, all of which are timed. Of any
// case: its own baselines, each of which has to give what the reference gives.
[[nodiscard]] TimedBaselines time_baselines(const BaselineTask& task);

}  // namespace autokernel::trial
