// A workload file as it is written: formulas, and where each of them stands. What they come to in
// one of its scenarios is workload.cpp's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "programs/workload/kinds.h"

namespace autokernel::programs {

// Prefill computes all tokens of a sequence at once, decode the last one of each.
enum class Phase : std::uint8_t { prefill, decode };

struct PlacedFormula {
  std::string text;
  std::string place;  // "workloads/llama-7b.toml:40:12: [[operation]] qkv count"
};

struct PlannedScenario {
  Phase phase = Phase::prefill;
  std::int64_t batch = 1;
  std::int64_t sequence = 1;
};

struct PlannedOperation {
  std::string name;
  std::string kind;
  std::string operation;  // empty: there is no case for it
  cases::DType dtype = cases::DType::bf16;
  ComputesWith computes_with = ComputesWith::threads;
  std::optional<Phase> only;  // the phase it belongs to; none: both
  PlacedFormula count;
  std::map<std::string, PlacedFormula> sizes;
  PlacedFormula flops, reads, writes;  // of the sizes
  PlacedFormula parameters;
  bool parameters_are_of_sizes = true;  // else of the architecture: the file gives them
};

struct WorkloadFile {
  std::string summary;
  std::vector<std::string> sources;
  std::string default_scenario;
  std::map<std::string, PlannedScenario> scenarios;
  cases::Sizes architecture;
  std::map<std::string, PlacedFormula> derived;
  std::vector<PlannedOperation> operations;
  std::optional<double> published_parameters;
  std::string parameters_place;  // for messages
};

// Sequences at once, and tokens of one.
inline constexpr std::int64_t kMostBatch = 1LL << 20;
inline constexpr std::int64_t kMostSequence = 1LL << 24;

// Formulas are not evaluated yet. Throws Error(usage) as parse_workload() does.
[[nodiscard]] WorkloadFile read_workload_file(const std::string& text,
                                              const std::filesystem::path& file);

}  // namespace autokernel::programs
