// Problems of other benchmarks among the files of a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::cli {

enum class ProblemKind : std::uint8_t {
  kernelbench,  // a file of Python
  gpu_mode,     // a folder's task.yml
  definition,   // of FlashInfer Trace or SOL-ExecBench: JSON
};

struct FoundProblem {
  ProblemKind kind = ProblemKind::kernelbench;
  std::filesystem::path file;
};

// None where a file of that name is none.
[[nodiscard]] std::optional<ProblemKind> problem_kind(const std::filesystem::path& file);
// Those in the folder and the folders below; files of Python of the folder itself, where there is
// nothing else. In the order of their paths.
[[nodiscard]] std::vector<FoundProblem> problems_in(const std::filesystem::path& folder);

// Where the workloads of a definition are: beside it, or in the data set's folder of workloads.
// Throws Error(usage) where there are none.
[[nodiscard]] std::filesystem::path workloads_of(const std::filesystem::path& definition);
// The bytes of a file that a workload names, by a path from a folder of the data set's.
[[nodiscard]] std::optional<std::string> blob_of(const std::filesystem::path& definition,
                                                 const std::string& path);

}  // namespace autokernel::cli
