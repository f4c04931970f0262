// Where CUDA's other libraries may lie: in the same places as NVRTC.
#pragma once

#include <filesystem>
#include <vector>

namespace autokernel::compile {

// Files that exist and bare names for the loader to find, best first.
[[nodiscard]] std::vector<std::filesystem::path> cublas_candidates();
[[nodiscard]] std::vector<std::filesystem::path> cublaslt_candidates();
// The library that profilers of GPUs are built on.
[[nodiscard]] std::vector<std::filesystem::path> cupti_candidates();

// CUTLASS is headers alone: the folder that holds <cutlass/cutlass.h>. Empty: there is none.
[[nodiscard]] std::filesystem::path cutlass_headers();

}  // namespace autokernel::compile
