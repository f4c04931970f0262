// A problem as FlashInfer Trace and SOL-ExecBench state it: a definition, with axes that are
// constant, vary, or follow from others, and workloads, each with the values of those that vary.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct Axis {
  enum class Kind : std::uint8_t { constant, variable, expression };
  std::string name;
  Kind kind = Kind::variable;
  std::int64_t value = 0;  // of a constant
  std::string expression;
};

struct DefinedTensor {
  std::string name;
  std::string dtype;                              // "bfloat16"
  std::optional<std::vector<std::string>> shape;  // axes, or numbers; none: a scalar
  std::string description;
};

struct Definition {
  std::string name;
  std::string description;
  std::vector<Axis> axes;
  std::vector<DefinedTensor> inputs;
  std::vector<DefinedTensor> outputs;
  std::string reference;      // Python, with run()
  std::string custom_inputs;  // a function of it that makes inputs; may be empty
};

struct WorkloadInput {
  std::string type;  // "random", "scalar", "safetensors" or "custom"
  double value = 0;  // of a scalar
  std::string path;  // of a safetensors file
  std::string tensor_key;
};

struct WorkloadTolerance {
  double absolute = 1e-2;
  double relative = 1e-2;
  double matched_ratio = 1;
};

struct Workload {
  std::string uuid;
  std::map<std::string, std::int64_t> axes;  // of a definition's workload: all of them
  std::map<std::string, WorkloadInput> inputs;
  WorkloadTolerance tolerance;
  std::string json = {};  // as it was written
};

// "a // 2" as compile::value_of() and C++ have it: their "/" cuts off as well. What "/" makes of
// numbers that do not divide is no whole number, and no extent in Python either.
[[nodiscard]] std::string in_whole_numbers(std::string expression);

// Which of the two formats workloads are in: SOL-ExecBench's have no object around each.
enum class TraceFormat : std::uint8_t { flashinfer_trace, sol_execbench };

struct Workloads {
  TraceFormat format = TraceFormat::flashinfer_trace;
  std::vector<Workload> all;
};

// Both throw Error(usage), which names `file`, for a text that is none.
[[nodiscard]] Definition read_definition(const std::string& file, const std::string& text);
// A JSON object a line. Those of other definitions, and traces of solutions, are left out.
[[nodiscard]] Workloads read_workloads(const std::string& file, const std::string& text,
                                       const Definition& definition);

}  // namespace autokernel::bridge
