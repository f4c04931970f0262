// What a problem in Python says of itself: its tensors at one choice of its constants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "autokernel/bridge/foreign_problem.h"

namespace autokernel::bridge {

struct DescribedTensor {
  std::string name;
  std::string dtype;
  std::string role;
  std::vector<std::int64_t> shape;
  std::string distribution;  // of what is read: "normal", "uniform", "integers" or "kept"
  double low = 0;
  double high = 0;
};

struct DescribedScalar {
  std::string name;
  std::string dtype;
  double value = 0;
};

// Values of constants of the problem's file, in place of its own.
using Constants = std::map<std::string, std::int64_t>;

struct Description {
  Constants constants;
  std::vector<DescribedTensor> tensors;  // what is written last
  std::vector<DescribedScalar> scalars;
  double absolute = 0;  // tolerance; 0: it tells none
  double relative = 0;
  std::string structure;  // JSON, for the reference
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

// Runs the file. Throws as import_problem() does.
[[nodiscard]] Description describe(const ForeignProblem& problem, const Constants& constants,
                                   const std::filesystem::path& python);

}  // namespace autokernel::bridge
