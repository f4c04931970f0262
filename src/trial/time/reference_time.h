// How long a plain reference takes: by the runner, right after the kernel that is judged by it, in
// the same manner and with none of the candidate's code loaded.
#pragma once

#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "trial/inputs/inputs.h"

namespace autokernel::trial {

struct ReferenceTask {
  const driver::Device& device;
  const SizedCase& sized;
  const InputMaker& maker;
  const compile::Program& reference;  // at that size
  const compile::Program* gpu_tools;  // gpu_tools_source(); null on the emulated device
};

// Microseconds of each of up to 20 launches, 10 on the emulated device, and no more than fit into a
// fraction of a second: caches cold on a GPU. Throws Error(environment) where it cannot be timed.
[[nodiscard]] std::vector<double> time_reference(const ReferenceTask& task);

}  // namespace autokernel::trial
