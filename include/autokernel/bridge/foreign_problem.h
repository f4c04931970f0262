// Cases of problems that others state in Python: KernelBench's and gpu-mode's. Their files are run
// to find the tensors, in a process that is confined; values come from our keys all the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct ForeignProblem {
  std::string format = "kernelbench";
  std::string file;  // its name, "19_ReLU.py"
  std::string text;
  std::map<std::string, std::string> beside = {};  // files that it may import or read, by path
};

struct ImportedProblem {
  std::string name;                          // of its folder
  std::map<std::string, std::string> files;  // by path: "case.toml", "reference.py", "problem.json"
  std::vector<std::string> notes;            // what was assumed, a sentence each
};

// A problem of gpu-mode: its task.yml, and what that names.
struct GpuModeProblem {
  std::string name;
  std::string task_file;  // for messages
  std::string task;       // YAML
  // The text of a file, by its path from task.yml's folder; none: it is not there.
  std::function<std::optional<std::string>(const std::string& path)> file;
};

// With a size for each of its benchmarks and tests; at most 16, each of which is run.
[[nodiscard]] ImportedProblem import_gpu_mode(const GpuModeProblem& problem,
                                              const std::filesystem::path& python);

// Runs the file with that Python, which has PyTorch. Throws Error(usage) where the problem cannot
// be a case, saying why, and Error(environment) where the Python cannot do it.
[[nodiscard]] ImportedProblem import_problem(const ForeignProblem& problem,
                                             const std::filesystem::path& python);

}  // namespace autokernel::bridge
