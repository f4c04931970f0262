// A kernel in CUDA C++ as source, with a function that launches it: what a patch and a kernel for
// the Hub have in common.
#pragma once

#include <string>
#include <vector>

#include "autokernel/bridge/exported_kernel.h"
#include "bridge/exported/signature.h"

namespace autokernel::bridge {

struct SourceLibrary {
  ShippedFiles files;                // by path from a folder of their own
  std::vector<std::string> symbols;  // of a size, in the order of NAME_sizes
};

// Throws Error(usage) for a kernel that is not in CUDA C++, and for one that source cannot launch
// as the harness does.
[[nodiscard]] SourceLibrary source_library(const KernelToShip& kernel, const Signature& signature);

// {256, 256, 256}: the values of NAME_sizes.
[[nodiscard]] std::string symbols_text(const ExportedCode& code);

// What it is compiled with: C++20, and the case's own options.
[[nodiscard]] std::vector<std::string> nvcc_flags(const KernelToShip& kernel);

// Options of nvcc: "-gencode arch=compute_90a,code=sm_90a", and PTX of the last one.
[[nodiscard]] std::string gencode(const KernelToShip& kernel);

}  // namespace autokernel::bridge
