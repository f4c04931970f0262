// The case of a problem that was described at one or more sizes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autokernel/bridge/foreign_problem.h"
#include "bridge/foreign/description.h"

namespace autokernel::bridge {

struct DescribedSize {
  std::string name;       // "default", "check", ...
  std::string arguments;  // JSON: what it was described with
  // Whole numbers that the problem has names for: an extent that is one of them gets its name.
  std::map<std::string, std::int64_t> numbers;
  Description description;
};

struct DescribedProblem {
  std::string name;                          // of the case
  std::string benchmark;                     // "KernelBench"
  std::string file;                          // the problem's, in the case
  std::map<std::string, std::string> files;  // that one, what is beside it, and reference.py
};

// The first size is "default". Of the others those are left out, and told, at which the problem is
// another one. Throws Error(usage) for what no case can have.
[[nodiscard]] ImportedProblem described_case(const DescribedProblem& problem,
                                             std::vector<DescribedSize> sizes);

}  // namespace autokernel::bridge
