// Submissions to KernelBench and to gpu-mode, as kernels of the cases that import_problem() and
// import_gpu_mode() make of their problems.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "autokernel/bridge/solution.h"
#include "autokernel/cases/case.h"

namespace autokernel::bridge {

struct Submission {
  std::string file;  // for messages
  std::string text;  // Python: a class ModelNew, or a function custom_kernel()
};

// The text of a file of the case, by its name; none: it is not there.
using FileOfCase = std::function<std::optional<std::string>(const std::string& name)>;

// The name of the problem's file, "19_ReLU.py", of a case's problem.json; none where it is of none
// of those benchmarks'.
[[nodiscard]] std::optional<std::string> file_of_problem(const std::string& problem_json);

// Runs the submission while the kernel is compiled, on tensors without values. Throws Error(usage)
// for a case of other problems.
[[nodiscard]] SolutionKernel kernel_of_submission(const Submission& submission,
                                                  const FileOfCase& file_of_case);

// Whether its kernels are CUDA C++ that it has PyTorch compile, by load_inline().
[[nodiscard]] bool is_in_cuda(const Submission& submission);

// What it is called with, and what runs it: its host code in Python.
struct CallOfSubmission {
  const SolutionKernel& kernel;  // kernel_of_submission()
  const cases::Case& problem;
  std::string architecture;  // "sm_90": what it is told of the device
  std::filesystem::path python;
};
// The kernel that one in CUDA launches: its Python is run at each size, confined and on tensors
// without values, up to the one call of a function of C++, whose text is then read. Throws
// Error(usage) where that is not possible, saying why.
[[nodiscard]] SolutionKernel cuda_kernel_of_submission(const Submission& submission,
                                                       const CallOfSubmission& call);

}  // namespace autokernel::bridge
