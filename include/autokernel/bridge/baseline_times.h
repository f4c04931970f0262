// How long the references of other benchmarks took, by somebody's measurement: what speedups of
// solutions are over.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace autokernel::bridge {

struct BaselineTime {
  double ms = 0;
  std::string hardware;  // "NVIDIA H100 80GB HBM3"; empty: it does not say
};

struct BaselineTimes {
  std::map<std::string, BaselineTime> of_problems;   // by KernelBench's file: "19_ReLU.py"
  std::map<std::string, BaselineTime> of_workloads;  // by uuid
};

// KernelBench's times ({"level1": {"19_ReLU.py": {"mean": 1.2}}}, or without levels), in ms, or
// traces of FlashInfer Trace or SOL-ExecBench, whose latency_ms counts: those that passed, and of
// several of a workload the shortest. Throws Error(usage), which names `file`, for anything else.
[[nodiscard]] BaselineTimes read_baseline_times(const std::string& file, const std::string& text);

}  // namespace autokernel::bridge
