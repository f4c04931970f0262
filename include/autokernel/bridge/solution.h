// Solutions of FlashInfer Trace and SOL-ExecBench: kernels with host code in Python or C++, as
// kernels of a case, and what became of them as traces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  std::vector<std::string> languages;  // "triton", "cuda_cpp"
  std::string entry_file;
  std::string entry_function;
  bool destination_passing = true;             // outputs are its last parameters
  std::map<std::string, std::string> sources;  // by path
  std::string description;                     // all of its JSON, without the text of its sources
};

// Throws Error(usage), which names `file`, for a text that is no solution.
[[nodiscard]] Solution read_solution(const std::string& file, const std::string& text);

// The name of a definition, of its JSON; none where that is none.
[[nodiscard]] std::optional<std::string> definition_name(const std::string& json);

// A definition's files in the folder of its case (import_definition()).
struct DefinitionInCase {
  std::string definition;  // definition.json
  std::string workloads;   // workloads.jsonl
  std::string problem;     // problem.json
};

// The file of a kernel that `bench --kernel` takes, and what lies beside it.
struct SolutionKernel {
  std::string main;
  std::map<std::string, std::string> files;
  std::vector<std::string> notes;  // what was taken for granted
};
// Throws Error(usage) for a solution of another definition, or in a language that cannot be judged
// so; the message says which can.
[[nodiscard]] SolutionKernel kernel_of_solution(const Solution& solution,
                                                const DefinitionInCase& problem);

// The workloads that a case has a size for: its values, by symbol, and the workload as it was.
struct WorkloadOfCase {
  std::string uuid;
  std::map<std::string, std::int64_t> symbols;
  std::string json;
};
[[nodiscard]] std::vector<WorkloadOfCase> workloads_in_case(const DefinitionInCase& problem);

// What became of a solution at a workload.
struct SolutionRun {
  std::string status;  // "PASSED", "INCORRECT_NUMERICAL", "COMPILE_ERROR", ...
  std::string hardware;
  std::map<std::string, std::string> libs;  // versions
  std::string log;
  std::string timestamp;  // ISO 8601
  double max_relative_error = 0;
  double max_absolute_error = 0;
  double latency_ms = 0;
  double reference_latency_ms = 0;  // 0: not measured
};
// Whether a text begins with a trace.
[[nodiscard]] bool are_traces(const std::string& text);
// A line of a traces file, without the newline.
[[nodiscard]] std::string trace_line(const Solution& solution, const WorkloadOfCase& workload,
                                     const SolutionRun& run);

}  // namespace autokernel::bridge
