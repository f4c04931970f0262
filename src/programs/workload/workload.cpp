// What the formulas of a workload file come to in one of its scenarios.
#include "autokernel/programs/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/document.h"
#include "programs/workload/workload_file.h"

namespace autokernel::programs {
namespace {

constexpr double kLargestWorkloadExtent = 0x1p40;
constexpr double kMostRuns = 1e6;  // of an operation in one pass: layers, times a few
// Far above what any machine computes or moves in a year, and sums of it stay finite.
constexpr double kMostCost = 1e27;
// Published numbers are rounded to three digits at least.
constexpr double kParametersAgree = 0.005;

// The value of a formula, which must be from `low` to `high`.
[[nodiscard]] double value_of(const PlacedFormula& formula, const cases::Sizes& symbols, double low,
                              double high) {
  try {
    const double value = cases::evaluate(formula.text, symbols);
    if (value >= low && value <= high) return value;
    throw Error(Stop::usage, fmt::format("\"{}\" gives {}; it must give from {} to {}",
                                         cases::shown(formula.text), value, low, high));
  } catch (const Error& error) {
    throw Error(error.stop(), fmt::format("{}: {}", formula.place, error.what()));
  }
}

[[nodiscard]] std::int64_t whole_value_of(const PlacedFormula& formula, const cases::Sizes& symbols,
                                          double high) {
  const double value = value_of(formula, symbols, 1, high);
  if (value != std::floor(value)) {
    throw Error(Stop::usage,
                fmt::format("{}: \"{}\" gives {}; it must give a whole number, as floor() does",
                            formula.place, cases::shown(formula.text), value));
  }
  return static_cast<std::int64_t>(value);
}

[[nodiscard]] driver::Unit unit_of(const PlannedOperation& operation) {
  using cases::DType;
  using driver::Unit;
  if (operation.computes_with == ComputesWith::threads) return Unit::fp32;
  switch (operation.dtype) {
    case DType::bf16:
      return Unit::tensor_bf16;
    case DType::f16:
      return Unit::tensor_fp16;
    case DType::e4m3:
    case DType::e5m2:
      return Unit::tensor_fp8;
    case DType::i8:
      return Unit::tensor_int8;
    default:
      // Products of f32 without rounding them to tf32.
      return Unit::fp32;
  }
}

// All symbols that formulas of the file may use.
[[nodiscard]] cases::Sizes symbols_of(const WorkloadFile& file, const PlannedScenario& scenario) {
  cases::Sizes symbols = file.architecture;
  symbols["BATCH"] = scenario.batch;
  symbols["SEQUENCE"] = scenario.sequence;
  symbols["KEYS"] = scenario.sequence;
  symbols["QUERIES"] = scenario.phase == Phase::prefill ? scenario.sequence : 1;
  symbols["TOKENS"] = symbols["BATCH"] * symbols["QUERIES"];
  const cases::Sizes given = symbols;
  for (const auto& [symbol, formula] : file.derived)
    symbols[symbol] = whole_value_of(formula, given, kLargestWorkloadExtent);
  return symbols;
}

[[nodiscard]] WorkloadOperation evaluated(const PlannedOperation& planned,
                                          const cases::Sizes& symbols) {
  WorkloadOperation operation;
  operation.name = planned.name;
  operation.kind = planned.kind;
  operation.operation = planned.operation;
  operation.dtype = cases::spelling(planned.dtype);
  operation.unit = unit_of(planned);
  operation.count = whole_value_of(planned.count, symbols, kMostRuns);
  for (const auto& [symbol, formula] : planned.sizes)
    operation.sizes[symbol] = whole_value_of(formula, symbols, kLargestWorkloadExtent);
  cases::Sizes of_sizes = operation.sizes;
  of_sizes[kElementBytes] = static_cast<std::int64_t>(cases::size_of(planned.dtype));
  operation.flops = value_of(planned.flops, of_sizes, 0, kMostCost);
  operation.bytes_read = value_of(planned.reads, of_sizes, 0, kMostCost);
  operation.bytes_written = value_of(planned.writes, of_sizes, 0, kMostCost);
  operation.parameters = value_of(
      planned.parameters, planned.parameters_are_of_sizes ? of_sizes : symbols, 0, kMostCost);
  if (operation.flops + operation.bytes() <= 0) {
    throw Error(Stop::usage, fmt::format("{}: it computes nothing and moves nothing; give it reads "
                                         "or writes",
                                         planned.reads.place));
  }
  return operation;
}

[[nodiscard]] std::vector<WorkloadOperation> operations_at(const WorkloadFile& file,
                                                           const PlannedScenario& scenario) {
  const cases::Sizes symbols = symbols_of(file, scenario);
  std::vector<WorkloadOperation> operations;
  for (const PlannedOperation& planned : file.operations) {
    if (!planned.only || *planned.only == scenario.phase)
      operations.push_back(evaluated(planned, symbols));
  }
  return operations;
}

[[nodiscard]] std::int64_t chosen(const std::optional<std::int64_t>& choice, std::int64_t otherwise,
                                  std::int64_t most, const char* what) {
  if (!choice) return otherwise;
  if (*choice >= 1 && *choice <= most) return *choice;
  throw Error(Stop::usage,
              fmt::format("the {} is {}; write a whole number from 1 to {}", what, *choice, most));
}

void require_published_parameters(const WorkloadFile& file, const Workload& workload) {
  if (!file.published_parameters) return;
  const double published = *file.published_parameters;
  const double held = total_of(workload).parameters;
  if (std::abs(held - published) <= kParametersAgree * published) return;
  throw Error(Stop::usage,
              fmt::format("{}: parameters is {:.0f}, but the operations of scenario {} hold {:.0f} "
                          "weights; correct the one or the others",
                          file.parameters_place, published, workload.scenario, held));
}

}  // namespace

WorkloadTotal total_of(const Workload& workload) {
  WorkloadTotal total;
  for (const WorkloadOperation& operation : workload.operations) {
    const auto count = static_cast<double>(operation.count);
    total.flops += count * operation.flops;
    total.bytes += count * operation.bytes();
    total.parameters += count * operation.parameters;
  }
  return total;
}

Workload parse_workload(const std::string& text, const std::filesystem::path& file,
                        const WorkloadChoice& choice) {
  const WorkloadFile read = read_workload_file(text, file);
  Workload workload;
  workload.model = file.stem().string();
  workload.summary = read.summary;
  workload.sources = read.sources;
  for (const auto& [name, scenario] : read.scenarios) workload.scenarios.push_back(name);
  // A mistake that shows in another scenario is one of the file, too.
  for (const auto& [name, scenario] : read.scenarios) {
    workload.scenario = name;
    workload.operations = operations_at(read, scenario);
    require_published_parameters(read, workload);
  }
  workload.scenario = choice.scenario.value_or(read.default_scenario);
  const auto found = read.scenarios.find(workload.scenario);
  if (found == read.scenarios.end()) {
    throw Error(Stop::usage,
                fmt::format("{} has no scenario \"{}\"; it has {}", workload.model,
                            visible_line(workload.scenario), fmt::join(workload.scenarios, ", ")));
  }
  PlannedScenario scenario = found->second;
  scenario.batch = chosen(choice.batch, scenario.batch, kMostBatch, "batch");
  scenario.sequence = chosen(choice.sequence, scenario.sequence, kMostSequence, "sequence");
  workload.batch = scenario.batch;
  workload.sequence = scenario.sequence;
  workload.operations = operations_at(read, scenario);
  return workload;
}

}  // namespace autokernel::programs
