#include "programs/workload/workload_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "autokernel/base/error.h"
#include "autokernel/cases/names.h"
#include "autokernel/cases/section.h"

namespace autokernel::programs {
namespace {

using cases::Section;

// A file has some 20 operations, each a few lines long; what is far larger was not meant to be one.
constexpr std::size_t kMostWorkloadText = 256U << 10;
constexpr std::size_t kMostOperations = 256;
constexpr std::size_t kMostWorkloadSymbols = 64;  // of the architecture, and as many derived ones
constexpr std::size_t kMostScenarios = 32;
constexpr std::size_t kMostOwnSizes = 16;  // of an operation of kind "custom"
// As in a case: products of sizes stay far from the end of a double.
constexpr std::int64_t kLargestWorkloadSize = 1LL << 40;

// What a scenario sets.
constexpr std::array kScenarioSymbols = {"BATCH", "SEQUENCE", "QUERIES", "KEYS", "TOKENS"};

[[nodiscard]] Phase phase_of(Section& section) {
  return section.word("phase", {"prefill", "decode"}) == "prefill" ? Phase::prefill : Phase::decode;
}

// Types whose arithmetic has a unit of its own.
[[nodiscard]] cases::DType dtype_of(Section& section) {
  using cases::DType;
  constexpr std::array kTypes = {DType::bf16, DType::f16,  DType::f32,
                                 DType::e4m3, DType::e5m2, DType::i8};
  std::vector<std::string> words;
  words.reserve(kTypes.size());
  for (const DType each : kTypes) words.emplace_back(cases::spelling(each));
  const std::string word = section.word("dtype", words);
  return *std::ranges::find(kTypes, word, [](DType each) { return cases::spelling(each); });
}

[[nodiscard]] cases::DType dtype_spelled(const std::string& word) {
  for (int i = 0; i <= static_cast<int>(cases::kLastDType); ++i) {
    if (word == cases::spelling(static_cast<cases::DType>(i))) return static_cast<cases::DType>(i);
  }
  throw Error(Stop::internal, "there is no type " + word);
}

// A formula in quotes, or a number without.
[[nodiscard]] PlacedFormula formula_of(Section& section, const std::string& key) {
  if (!section.has(key)) section.fail(key, "is missing; write a number, or a formula in quotes");
  const std::string place = fmt::format("{}: {} {}", section.place_of(key), section.title(), key);
  if (section.is_text(key)) return {section.text(key), place};
  return {std::to_string(section.integer(key, {0, kLargestWorkloadSize})), place};
}

// Capitals, so that no function or constant of formulas bears the name.
[[nodiscard]] bool is_workload_symbol(const std::string& text) {
  constexpr std::size_t kLongestSymbol = 40;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_other = [](char c) { return (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= kLongestSymbol && is_capital(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_capital(c) || is_other(c); });
}

void require_symbol(const Section& section, const std::string& symbol) {
  if (!is_workload_symbol(symbol)) {
    section.fail(symbol,
                 "cannot be a symbol; write up to 40 capitals, digits and _, a capital first");
  }
  if (symbol == kElementBytes)
    section.fail(symbol, "is the bytes of an element in formulas; write another name");
}

// Of the whole file.
void require_new_symbol(const Section& section, const std::string& symbol) {
  require_symbol(section, symbol);
  if (std::ranges::find(kScenarioSymbols, symbol) != kScenarioSymbols.end())
    section.fail(symbol, "is what a scenario sets; write another name");
}

void require_few(const Section& section, std::size_t most) {
  if (section.keys().size() > most)
    section.fail(fmt::format("has {} keys; write at most {}", section.keys().size(), most));
}

[[nodiscard]] cases::Sizes architecture_in(Section& root) {
  Section section = root.section("architecture");
  require_few(section, kMostWorkloadSymbols);
  cases::Sizes symbols;
  for (const std::string& symbol : section.keys()) {
    require_new_symbol(section, symbol);
    symbols[symbol] = section.integer(symbol, {1, kLargestWorkloadSize});
  }
  return symbols;
}

[[nodiscard]] std::map<std::string, PlacedFormula> derived_in(Section& root,
                                                              const cases::Sizes& architecture) {
  if (!root.has("derived")) return {};
  Section section = root.section("derived");
  require_few(section, kMostWorkloadSymbols);
  std::map<std::string, PlacedFormula> derived;
  for (const std::string& symbol : section.keys()) {
    require_new_symbol(section, symbol);
    if (architecture.contains(symbol))
      section.fail(symbol, "is in [architecture], too; leave one out");
    derived[symbol] = formula_of(section, symbol);
  }
  return derived;
}

[[nodiscard]] std::map<std::string, PlannedScenario> scenarios_in(Section& root) {
  Section all = root.section("scenarios");
  require_few(all, kMostScenarios);
  std::map<std::string, PlannedScenario> scenarios;
  for (const std::string& name : all.keys()) {
    if (!cases::is_identifier(name))
      all.fail(name, "cannot be a scenario; write letters, digits and _ only, a letter first");
    Section section = all.section(name);
    PlannedScenario& scenario = scenarios[name];
    scenario.phase = phase_of(section);
    scenario.batch = section.integer("batch", {1, kMostBatch});
    scenario.sequence = section.integer("sequence", {1, kMostSequence});
    section.finish();
  }
  if (scenarios.empty()) all.fail("there is none; write one, such as [scenarios.decode]");
  return scenarios;
}

[[nodiscard]] Section sizes_section(Section& section, const PlannedOperation& operation) {
  if (!section.is_table("sizes"))
    section.fail("sizes", R"(is missing or no table; write sizes = { M = "TOKENS", N = 4096 })");
  Section sizes = section.section("sizes");
  sizes.rename("[[operation]] " + operation.name + " sizes");
  return sizes;
}

// Of a kind with formulas.
void read_kind(Section& section, const OperationKind& kind, PlannedOperation& operation) {
  Section sizes = sizes_section(section, operation);
  for (const SizeSymbol& symbol : kind.symbols) {
    if (symbol.name == nullptr) break;
    if (symbol.otherwise == 0 || sizes.has(symbol.name)) {
      operation.sizes[symbol.name] = formula_of(sizes, symbol.name);
    } else {
      operation.sizes[symbol.name] = {std::to_string(symbol.otherwise), {}};
    }
  }
  sizes.finish();
  operation.computes_with = kind.computes_with;
  const bool has_case = std::ranges::any_of(kind.types, [&](const char* type) {
    return type != nullptr && std::string_view(type) == cases::spelling(operation.dtype);
  });
  if (has_case) operation.operation = kind.operation;
  const std::string place = fmt::format("{}: [[operation]] {} kind {}", section.place_of("kind"),
                                        operation.name, operation.kind);
  operation.flops = {kind.flops, place + " flops"};
  operation.reads = {kind.reads, place + " reads"};
  operation.writes = {kind.writes, place + " writes"};
  operation.parameters = {kind.parameters, place + " parameters"};
}

// Of the kind whose formulas the file gives.
void read_custom(Section& section, PlannedOperation& operation) {
  if (section.has("operation")) {
    operation.operation = section.text("operation");
    if (!cases::is_identifier(operation.operation))
      section.fail("operation", "is no folder of a case; write its name, such as \"gemm\"");
  }
  operation.computes_with = section.word("unit", {"tensor", "thread"}) == "tensor"
                                ? ComputesWith::tensor_cores
                                : ComputesWith::threads;
  Section sizes = sizes_section(section, operation);
  require_few(sizes, kMostOwnSizes);
  for (const std::string& symbol : sizes.keys()) {
    require_symbol(sizes, symbol);
    operation.sizes[symbol] = formula_of(sizes, symbol);
  }
  operation.flops = formula_of(section, "flops");
  operation.reads = formula_of(section, "reads");
  operation.writes = formula_of(section, "writes");
  operation.parameters = {"0", {}};
}

[[nodiscard]] PlannedOperation operation_in(Section section, cases::DType dtype) {
  PlannedOperation operation;
  operation.name = section.text("name");
  if (!cases::is_identifier(operation.name)) {
    section.fail("name", fmt::format("is \"{}\"; write letters, digits and _ only, a letter first",
                                     cases::shown(operation.name)));
  }
  section.rename("[[operation]] " + cases::shown(operation.name));
  operation.kind = section.word("kind", kind_names());
  const OperationKind* const kind = kind_called(operation.kind);
  const bool has_own_type = section.has("dtype");
  operation.dtype = has_own_type ? dtype_of(section) : dtype;
  if (kind != nullptr && kind->is_of_one_type) {
    const char* const type = kind->types.front();
    if (has_own_type && operation.dtype != dtype_spelled(type))
      section.fail("dtype", fmt::format("cannot go with kind {}, which is in {}; leave it out",
                                        operation.kind, type));
    operation.dtype = dtype_spelled(type);
  }
  if (section.has("phase")) operation.only = phase_of(section);
  operation.count = section.has("count") ? formula_of(section, "count") : PlacedFormula{"1", {}};
  if (kind != nullptr) {
    read_kind(section, *kind, operation);
  } else {
    read_custom(section, operation);
  }
  if (section.has("parameters")) {
    operation.parameters = formula_of(section, "parameters");
    operation.parameters_are_of_sizes = false;
  }
  section.finish();
  return operation;
}

[[nodiscard]] std::vector<PlannedOperation> operations_in(Section& root, cases::DType dtype) {
  std::vector<PlannedOperation> operations;
  std::set<std::string> names;
  for (const cases::Value& table : root.tables("operation")) {
    Section section(root.file(), "[[operation]]", table);
    if (operations.size() == kMostOperations) {
      section.fail(fmt::format("this is the {}th; a workload has at most {}", kMostOperations + 1,
                               kMostOperations));
    }
    operations.push_back(operation_in(section, dtype));
    // The same operation may be of one kind in prefill and of another one in decode.
    const PlannedOperation& last = operations.back();
    for (const Phase phase : {Phase::prefill, Phase::decode}) {
      if (last.only && *last.only != phase) continue;
      const std::string key = fmt::format("{} {}", static_cast<int>(phase), last.name);
      if (!names.insert(key).second)
        section.fail("name", fmt::format("is \"{}\" for a second time; every operation of a phase "
                                         "has a name of its own",
                                         last.name));
    }
  }
  return operations;
}

}  // namespace

WorkloadFile read_workload_file(const std::string& text, const std::filesystem::path& file) {
  if (text.size() > kMostWorkloadText) {
    throw Error(Stop::usage, fmt::format("{}: it has {} bytes; a workload file has at most {}",
                                         file.string(), text.size(), kMostWorkloadText));
  }
  const cases::Value document = cases::parse_toml_file(text, file.string());
  Section root(file.string(), "", document);
  WorkloadFile workload;
  workload.summary = root.text("summary");
  workload.sources = root.texts("sources", R"(["arXiv:2302.13971, table 2"])");
  const cases::DType dtype = dtype_of(root);
  workload.architecture = architecture_in(root);
  workload.derived = derived_in(root, workload.architecture);
  workload.scenarios = scenarios_in(root);
  std::vector<std::string> names;
  names.reserve(workload.scenarios.size());
  for (const auto& [name, scenario] : workload.scenarios) names.push_back(name);
  workload.default_scenario = root.word("scenario", names);
  if (root.has("parameters")) {
    constexpr double kMostParameters = 1e15;  // a thousand times the largest model known
    workload.published_parameters = root.number("parameters", {.low = 1, .high = kMostParameters});
    workload.parameters_place = root.place_of("parameters");
  }
  workload.operations = operations_in(root, dtype);
  root.finish();
  return workload;
}

}  // namespace autokernel::programs
