// What the inputs of a definition are filled with where its workloads say "random".
#pragma once

#include <optional>
#include <string>

#include "bridge/case_toml.h"
#include "bridge/definition/definition.h"

namespace autokernel::bridge {

struct RandomFill {
  WrittenFill fill;
  std::string note;  // what differs from the benchmark's own values; may be empty
};

// The dtype of a case for one of PyTorch's; none where it has none.
[[nodiscard]] std::optional<std::string> case_dtype(const std::string& torch_dtype);

// What a file of safetensors calls the dtype of a case.
[[nodiscard]] std::string stored_dtype(const std::string& dtype);

// `shape` are the formulas of the case. SOL-ExecBench draws inputs by their names.
[[nodiscard]] RandomFill random_fill(const DefinedTensor& tensor, const std::string& dtype,
                                     const std::vector<std::string>& shape, TraceFormat format);

}  // namespace autokernel::bridge
