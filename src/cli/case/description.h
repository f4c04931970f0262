// What a case asks of a kernel, as a person or a program reads it: `case show`, and the part of
// program.md that is about the case.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::cli {

// `extern "C" __global__ void softmax(const __nv_bfloat16* x, __nv_bfloat16* y)`: what a kernel
// of the case takes, named `kernel`.
[[nodiscard]] std::string declaration_of(const cases::Case& problem, const std::string& kernel);

// What the tensors of a case come to at one of its sizes.
struct SizeFigures {
  std::string name;                // "default"
  cases::Sizes sizes;              // {"ROWS", 8192}
  std::uint64_t tensor_bytes = 0;  // of all tensors together
  double flops = 0;
  double bytes = 0;  // least bytes moved
  double intensity = 0;
};
// `default` and `check` first, then the others by name.
[[nodiscard]] std::vector<SizeFigures> figures_of_sizes(const cases::Case& problem);

// "x  in bf16 [ROWS, COLS], normal": one line for each tensor and scalar.
[[nodiscard]] std::vector<std::string> tensor_lines(const cases::Case& problem);
// How such a kernel is launched, with what it takes named where sizes are among that.
[[nodiscard]] std::string launch_of(const cases::Case& problem, const std::string& kernel);
// "default  N=4096: 48.0 KiB of tensors, ...": one line for each size.
[[nodiscard]] std::vector<std::string> size_lines(const cases::Case& problem);
// What a result must be to be right: "each element within 1e-07 + 0.01 * |expected|", ...
[[nodiscard]] std::vector<std::string> correctness_lines(const cases::Case& problem);
// What a run keeps a kernel for: "the time at default, weight 1", "at most 128 registers per
// thread", ...
[[nodiscard]] std::vector<std::string> goal_lines(const cases::Case& problem);
// "reference.cu, its errors measured against reference_fp64.cu".
[[nodiscard]] std::string reference_text(const cases::Case& problem);
// "baseline_cub.cu", ...
[[nodiscard]] std::vector<std::string> baseline_files(const cases::Case& problem);
// "kernel.cu, include/*.cuh".
[[nodiscard]] std::string editable_text(const cases::Case& problem);

// All of it, with extents at one of the sizes, which the case must have.
[[nodiscard]] std::string description_text(const cases::Case& problem, const std::string& size);
// The same as one JSON object: docs/case-format.md.
[[nodiscard]] std::string description_json(const cases::Case& problem, const std::string& size);

}  // namespace autokernel::cli
