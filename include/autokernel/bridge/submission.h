// Submissions to KernelBench and to gpu-mode, as kernels of the cases that import_problem() and
// import_gpu_mode() make of their problems.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autokernel/bridge/solution.h"

namespace autokernel::bridge {

struct Submission {
  std::string file;  // for messages
  std::string text;  // Python: a class ModelNew, or a function custom_kernel()
};

// The text of a file of the case, by its name; none: it is not there.
using FileOfCase = std::function<std::optional<std::string>(const std::string& name)>;

// Runs the submission while the kernel is compiled, on tensors without values. Throws Error(usage)
// for a case of other problems.
[[nodiscard]] SolutionKernel kernel_of_submission(const Submission& submission,
                                                  const FileOfCase& file_of_case);

}  // namespace autokernel::bridge
