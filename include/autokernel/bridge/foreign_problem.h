// Cases of problems that others state in Python: KernelBench's. Their files are run to find the
// tensors, in a process that is confined; values come from our keys all the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct ForeignProblem {
  std::string format = "kernelbench";
  std::string file;  // its name, "19_ReLU.py"
  std::string text;
};

struct ImportedProblem {
  std::map<std::string, std::string> files;  // by path: "case.toml", "reference.py", "problem.json"
  std::vector<std::string> notes;            // what was assumed, a sentence each
};

// Runs the file with that Python, which has PyTorch. Throws Error(usage) where the problem cannot
// be a case, saying why, and Error(environment) where the Python cannot do it.
[[nodiscard]] ImportedProblem import_problem(const ForeignProblem& problem,
                                             const std::filesystem::path& python);

}  // namespace autokernel::bridge
