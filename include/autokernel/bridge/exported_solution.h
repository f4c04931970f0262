// A kernel of a case as a solution of the benchmark that the case is of.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autokernel/bridge/solution.h"
#include "autokernel/driver/tensor_map.h"
#include "autokernel/trial/ready_kernel.h"

namespace autokernel::bridge {

enum class SolutionFormat : std::uint8_t { flashinfer_trace, sol_execbench };

struct ExportedOperand {
  std::string name;
  std::string dtype;  // "f32"
  bool is_scalar = false;
};

struct ExportedMap {
  std::string name;
  std::string buffer;        // a tensor of the case, or "workspace"
  std::uint64_t offset = 0;  // bytes
  driver::TensorMapLayout layout;
};

// What the harness knows of the kernel at a size.
struct ExportedSize {
  std::map<std::string, std::int64_t> symbols;
  std::map<std::string, std::string> types = {};  // those that the size chooses, as C++ calls them
  std::vector<std::string> kernels;               // those that it launches by their names
  std::uint64_t workspace_bytes = 0;              // 0: none
  bool workspace_zeroed = false;
  std::vector<ExportedMap> maps;
  std::vector<std::string> variables;  // that a launch may leave other than they were
};

// Of a kernel in CUDA C++ that has been made ready at that size.
[[nodiscard]] ExportedSize exported_size(const trial::ReadyKernel& kernel,
                                         const std::map<std::string, std::int64_t>& symbols);

struct KernelToExport {
  std::string main;                          // "kernel.cu", "kernel.py"
  std::map<std::string, std::string> files;  // that one, and those beside it
  std::vector<ExportedOperand> operands;     // of the case, in its order
  std::vector<ExportedSize> sizes;           // of a kernel in CUDA C++
};

struct SolutionNames {
  std::string name;
  std::string author;
  std::string description;
};

struct ExportedSolution {
  std::string json;
  std::vector<std::string> lost;  // what the format cannot hold, a sentence each
};

// A solution that was imported, and whose host code is in use, keeps all that it said of itself.
// Throws Error(usage) for a kernel that no solution can hold.
[[nodiscard]] ExportedSolution export_solution(const KernelToExport& kernel,
                                               const DefinitionInCase& problem,
                                               SolutionFormat format, const SolutionNames& names);

}  // namespace autokernel::bridge
