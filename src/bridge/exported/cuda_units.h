// The source of a kernel in CUDA C++ with host code that launches it: its file once for each size,
// whose constants it sees.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autokernel/bridge/exported_solution.h"

namespace autokernel::bridge {

struct CudaSource {
  std::string prefix;                        // of the functions of the units
  std::string main;                          // "kernel.cu"
  std::map<std::string, std::string> files;  // that one, and those beside it
  std::vector<std::string> operands;         // of the case: tensors, then what is by value
};

struct CudaUnit {
  const ExportedSize* size = nullptr;
  std::string file;         // "size_0.cu"
  std::string function;     // "autokernel_run_0"
  std::string declaration;  // of that, without a semicolon
  std::string condition;    // that the size is this one: "M == 256 && N == 256"
};

struct CudaUnits {
  std::string header;  // what the kernel's main file is called among them: "kernel.cuh"
  std::map<std::string, std::string> files;
  std::vector<CudaUnit> units;
};

// Each size once. A unit's function takes operands by name, the workspace, and the stream.
[[nodiscard]] CudaUnits cuda_units(CudaSource source, const std::vector<ExportedSize>& sizes);

}  // namespace autokernel::bridge
