// The workload files of the project, and a small one that is right in every line, for tests to
// break in one place.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/programs/workload.h"

namespace autokernel::programs {

inline std::vector<std::filesystem::path> box() {
  return {std::filesystem::path(AUTOKERNEL_SOURCE_DIR) / "workloads"};
}

inline std::string workload_sample() {
  return R"(summary = "A sample"
sources = ["nobody"]
scenario = "decode"
dtype = "bf16"
[architecture]
HIDDEN = 64
LAYERS = 3
[derived]
WIDE = "4*HIDDEN"
[scenarios.prefill]
phase = "prefill"
batch = 2
sequence = 10
[scenarios.decode]
phase = "decode"
batch = 5
sequence = 10
[[operation]]
name = "up"
kind = "linear"
count = "LAYERS"
sizes = { M = "TOKENS", N = "WIDE", K = "HIDDEN" }
[[operation]]
name = "own"
kind = "custom"
operation = "conv2d"
unit = "thread"
sizes = { N = "TOKENS", C = 7 }
flops = "3*N*C"
reads = "ELEMENT*N*C"
writes = "8*N"
parameters = "WIDE"
)";
}

// The text with `part`, which it must have, replaced.
inline std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) throw std::runtime_error("the text has no " + part);
  return text.replace(at, part.size(), by);
}

// What the Error(usage) says that reading throws; empty where it throws none.
template <typename Read>
std::string refusal_of(const Read& read) {
  try {
    static_cast<void>(read());
    return {};
  } catch (const Error& error) {
    return (error.stop() == Stop::usage ? "" : "not a mistake of the user: ") +
           std::string(error.what());
  }
}

inline const WorkloadOperation& operation_called(const Workload& workload,
                                                 const std::string& name) {
  for (const WorkloadOperation& each : workload.operations) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("there is no operation " + name);
}

}  // namespace autokernel::programs
