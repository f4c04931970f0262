// What a problem in Python says of itself: its tensors at one choice of its constants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/bridge/foreign_problem.h"
#include "bridge/case_toml.h"

namespace autokernel::bridge {

struct DescribedTensor {
  std::string name;
  std::string dtype;
  std::string role;
  std::vector<std::int64_t> shape;
  std::string distribution;  // of what is read: "normal", "uniform", "integers" or "kept"
  double low = 0;
  double high = 0;
  std::string values;  // of what is "kept": its bytes
};

struct DescribedScalar {
  std::string name;
  std::string dtype;
  double value = 0;
};

struct Description {
  std::vector<DescribedTensor> tensors;  // what is written last
  std::vector<DescribedScalar> scalars;
  double absolute = 0;  // tolerance; 0: it tells none
  double relative = 0;
  std::string structure;                     // JSON, for the reference
  std::vector<std::string> may_be_negative;  // where that was tried
  std::vector<std::string> left_out;
  std::vector<std::string> notes;
};

// The function of a definition that makes inputs, and those that are tensors.
struct InputMaker {
  std::string function;
  std::vector<std::string> tensors;
};
struct DescribeOptions {
  std::optional<InputMaker> maker = {};
  // Whether inputs that are never negative are tried so: the problem is computed for that.
  bool try_negative = false;
};

// Runs the file; `arguments` is an object in JSON. Throws as import_problem() does.
[[nodiscard]] Description describe(const ForeignProblem& problem, const std::string& arguments,
                                   const std::filesystem::path& python,
                                   const DescribeOptions& options = {});

// Of all tensors.
[[nodiscard]] double elements(const Description& description);
[[nodiscard]] bool has_kept(const Description& description);

// What a case writes for one that is not "kept".
[[nodiscard]] WrittenFill fill_of(const DescribedTensor& tensor);

}  // namespace autokernel::bridge
