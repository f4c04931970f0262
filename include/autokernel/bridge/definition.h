// Cases of definitions with workloads: the problems of FlashInfer Trace and of SOL-ExecBench.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/foreign_problem.h"

namespace autokernel::bridge {

struct DefinitionFiles {
  std::string definition_file;  // for messages
  std::string definition;       // JSON
  std::string workloads_file;
  std::string workloads;  // JSON, one to a line
  // Whether elements may be wrong where the benchmark lets them.
  bool lax = false;
  // The bytes of a file that a workload names, such as one of safetensors; none: it is not there.
  std::function<std::optional<std::string>(const std::string& path)> blob;
};

// One case, with a size for each workload; where workloads bring values in files, a case for each
// of them. `python`, which has PyTorch, runs the function that makes inputs where a definition
// names one; without it, such a definition is refused. Throws as import_problem() does.
[[nodiscard]] std::vector<ImportedProblem> import_definition(
    const DefinitionFiles& files, const std::optional<std::filesystem::path>& python);

}  // namespace autokernel::bridge
