// A solution of another benchmark, and the case of its problem.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/solution.h"
#include "autokernel/cli/cli.h"

namespace autokernel::cli {

struct SolutionInCase {
  std::string file;  // as it was named
  std::filesystem::path folder;
  bridge::SolutionKernel kernel;
  std::string problem;  // of a submission: the file of its problem, "19_ReLU.py"
  // Of a solution in JSON alone.
  bridge::Solution solution;
  bridge::DefinitionInCase definition;

  [[nodiscard]] bool is_submission() const { return solution.definition.empty(); }
};

// Reads the file, and finds its case where none is named: of a solution the one below here that is
// of its definition, of a submission the one whose problem has its name or number (19_ReLU.py, or
// KernelBench's level_1_problem_19_sample_0_kernel.py). Its Python may be run, confined, as for
// `architecture`. Throws Error(usage) where there is no such case, or the solution cannot be
// judged.
[[nodiscard]] SolutionInCase solution_in_case(const std::string& file,
                                              const std::optional<std::string>& case_directory,
                                              const std::optional<std::string>& architecture,
                                              const Console& console);

// Throws Error(usage) where the names that KernelBench generates are of several levels: a case does
// not know of which level its problem is.
void require_one_level(const std::vector<std::string>& files);

}  // namespace autokernel::cli
