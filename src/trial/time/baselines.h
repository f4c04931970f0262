// What else computes the same, and how fast: libraries that a user would believe, timed by the
// runner right after the kernel, with none of the candidate's code loaded.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/compile/front_end.h"
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
  compile::Caching caching;           // of what is built
  // Of what a baseline wrote: whether it is what the kernel must write.
  std::function<std::optional<Rejection>(const LaunchRecord&)> judge;
  std::function<void()> get_on;  // is called often while something is built
};

// Medians of 20 runs each, with cold caches on a GPU; all throw Error(environment), and nothing
// depends on them.
//
// Of a product that cuBLAS computes, on a GPU: cuBLASLt as it chooses itself, and the best of its
// heuristics, all of which are timed.
[[nodiscard]] std::vector<Baseline> time_cublaslt(const BaselineTask& task,
                                                  const cases::GemmReference& gemm);
// Of such a product too: the best of CUTLASS's tiles, all of which are timed. With `checked` the
// first output of each has to be what the reference gives; one that is not right, or does not run,
// is left out.
[[nodiscard]] Baseline time_cutlass(const BaselineTask& task, const cases::GemmReference& gemm,
                                    bool checked);
// A case's own, on fresh inputs each time. The first and the last of its outputs have to be what
// the reference gives, with nothing beside them changed.
[[nodiscard]] Baseline time_baseline(const BaselineTask& task,
                                     const cases::BaselineProgram& program);

}  // namespace autokernel::trial
