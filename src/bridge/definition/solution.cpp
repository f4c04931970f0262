#include "autokernel/bridge/solution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/cuda_source.h"
#include "bridge/definition/definition.h"
#include "bridge/definition/entry_json.h"
#include "bridge/definition/input_fills.h"
#include "bridge/definition/solution_files.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

[[nodiscard]] std::map<std::string, std::string> sources_of(const JsonEntry& entry,
                                                            const Json& list, Sources kind) {
  std::map<std::string, std::string> sources;
  if (!list.is_array() || list.empty()) entry.fail("has no list of sources");
  for (const Json& each : list) {
    const JsonEntry source("a source of the solution", each);
    const fs::path path = fs::path(source.text("path")).lexically_normal();
    const bool is_inside = path.is_relative() && path.has_filename() && *path.begin() != ".." &&
                           path != "solution.json";  // kSolutionFile
    if (!is_inside || visible_line(path.string()) != path.string())
      entry.fail(fmt::format("has a source \"{}\", which is no path within a folder",
                             visible_line(path.string())));
    const std::string text = kind == Sources::whole ? source.text("content") : "";
    if (!sources.emplace(path.string(), text).second)
      entry.fail(fmt::format("has the source {} twice", path.string()));
  }
  return sources;
}

[[nodiscard]] std::vector<std::string> languages_of(const JsonEntry& spec) {
  if (spec.has("language")) return {spec.text("language")};
  std::vector<std::string> languages;
  if (!spec.at("languages").is_array()) spec.fail("has languages that are no list");
  for (const Json& each : spec.at("languages"))
    if (each.is_string()) languages.push_back(visible_line(each.get<std::string>()));
  return languages;
}

// "['x', 'y']"
[[nodiscard]] std::string python_list(const Json& entries) {
  std::vector<std::string> names;
  for (const Json& entry : entries)
    names.push_back(fmt::format("\"{}\"", JsonEntry("problem.json", entry).text("name")));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

[[nodiscard]] bool is_all_in(const Solution& solution, const std::set<std::string>& languages) {
  return !solution.languages.empty() &&
         std::ranges::all_of(solution.languages, [&](const std::string& language) {
           return languages.contains(language);
         });
}

// Runs the solution while the kernel is compiled, on tensors without values.
[[nodiscard]] SolutionKernel kernel_in_python(const Solution& solution, const Json& problem) {
  SolutionKernel kernel{.main = "kernel.py", .files = {}, .notes = {}};
  kernel.files["kernel.py"] = adapter_of(solution, problem);
  kernel.files[kSolutionFile] = solution.description;
  for (const auto& [path, text] : solution.sources)
    kernel.files[fmt::format("{}/{}", kSolutionFolder, path)] = text;
  return kernel;
}

// What host code is called with, by the names of the case.
[[nodiscard]] HostCall call_of(const Solution& solution, const Definition& definition,
                               const Json& problem, const Workload& workload) {
  const JsonEntry entry("problem.json", problem);
  const JsonEntry symbols = entry.inner("axes");
  HostCall call{.function = solution.entry_function, .parameters = {}, .returned = {}, .sizes = {}};
  for (const auto& [axis, value] : workload.axes) call.sizes[symbols.text(axis.c_str())] = value;
  const auto add = [&](const std::vector<DefinedTensor>& tensors, const char* key,
                       bool are_parameters) {
    std::size_t index = 0;
    for (const Json& each : entry.at(key)) {
      if (index == tensors.size()) break;
      const DefinedTensor& tensor = tensors[index++];
      const std::string name = JsonEntry("problem.json", each).text("name");
      if (!are_parameters) {
        call.returned.push_back(name);
        continue;
      }
      HostCall::Operand operand{.name = name,
                                .dtype = case_dtype(tensor.dtype).value_or(tensor.dtype),
                                .is_tensor = tensor.shape.has_value(),
                                .shape = {}};
      for (const std::string& axis : tensor.shape.value_or(std::vector<std::string>{}))
        operand.shape.push_back(symbols.has(axis.c_str()) ? symbols.text(axis.c_str()) : axis);
      call.parameters.push_back(std::move(operand));
    }
  };
  add(definition.inputs, "inputs", true);
  add(definition.outputs, "outputs", solution.destination_passing);
  return call;
}

// All of its files as one: those that others include are their headers.
[[nodiscard]] SolutionKernel kernel_in_cuda(const Solution& solution, const Definition& definition,
                                            const Json& problem, const Workload& workload) {
  static const std::set<std::string> kSources = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  std::map<std::string, std::string> headers;
  std::string text;
  for (const auto& [path, content] : solution.sources) {
    headers[path] = content;
    headers.try_emplace(fs::path(path).filename().string(), content);
    if (kSources.contains(fs::path(path).extension().string()) && path != solution.entry_file)
      text += fmt::format("#include \"{}\"\n", path);
  }
  text += fmt::format("#include \"{}\"\n", solution.entry_file);
  const auto kernel = import_called_kernel("solution.cu", text, headers,
                                           call_of(solution, definition, problem, workload));
  if (const auto* const why = std::get_if<std::string>(&kernel)) {
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: its kernel cannot be taken from the host code "
                            "around it: {}",
                            visible_line(solution.name), visible_line(*why)));
  }
  const auto& called = std::get<CalledKernel>(kernel);
  SolutionKernel found{.main = "kernel.cu", .files = {{"kernel.cu", called.text}}, .notes = {}};
  for (const Note& note : called.assumptions)
    found.notes.push_back(fmt::format("{}:{}: {}", note.file, note.line, note.text));
  return found;
}

[[nodiscard]] bool is_function_name(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

std::string adapter_of(const Solution& solution, const Json& problem) {
  const JsonEntry entry("problem.json", problem);
  return fmt::format(
      "# The solution {} of {}, by {}. Its files are in the folder {}.\n"
      "from autokernel import solution\n\n"
      "launch = solution(\"{}/{}\", \"{}\",\n"
      "                  inputs={},\n"
      "                  outputs={},\n"
      "                  destination_passing={})\n",
      visible_line(solution.name), visible_line(solution.definition), visible_line(solution.author),
      kSolutionFolder, kSolutionFolder, solution.entry_file, solution.entry_function,
      python_list(entry.at("inputs")), python_list(entry.at("outputs")),
      solution.destination_passing ? "True" : "False");
}

Solution solution_of(const std::string& file, const Json& json, Sources sources) {
  const JsonEntry entry(file, json);
  const JsonEntry spec = entry.inner("spec");
  Solution solution{.name = entry.text("name"),
                    .definition = entry.text("definition"),
                    .author = entry.text_or_none("author"),
                    .languages = languages_of(spec),
                    .entry_file = {},
                    .entry_function = {},
                    .sources = sources_of(entry, entry.at("sources"), sources),
                    .description = {}};
  const std::string point = spec.text("entry_point");
  const std::size_t colons = point.find("::");
  if (colons == std::string::npos) spec.fail("has an entry_point that is not FILE::FUNCTION");
  solution.entry_file = fs::path(point.substr(0, colons)).lexically_normal().string();
  solution.entry_function = point.substr(colons + 2);
  if (!solution.sources.contains(solution.entry_file) || !is_function_name(solution.entry_function))
    spec.fail(fmt::format("has the entry_point \"{}\", which is in none of its sources",
                          visible_line(point)));
  if (spec.has("destination_passing_style"))
    solution.destination_passing = spec.number("destination_passing_style") != 0;
  Json described = json;
  for (Json& source : described["sources"]) source.erase("content");
  solution.description = described.dump(1) + "\n";
  return solution;
}

Solution read_solution(const std::string& file, const std::string& text) {
  return solution_of(file, parsed_entry(file, text), Sources::whole);
}

std::optional<std::string> definition_name(const std::string& json) {
  try {
    return read_definition("definition.json", json).name;
  } catch (const Error&) {
    return std::nullopt;
  }
}

SolutionKernel kernel_of_solution(const Solution& solution, const DefinitionInCase& problem) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: {}", visible_line(solution.name), why));
  };
  const Definition definition = read_definition("definition.json", problem.definition);
  if (definition.name != solution.definition) {
    refuse(fmt::format("it is a solution of {}, and the case is of {}",
                       visible_line(solution.definition), visible_line(definition.name)));
  }
  const Json json = parsed_entry("problem.json", problem.problem);
  if (is_all_in(solution, {"triton", "python", "pytorch"})) return kernel_in_python(solution, json);
  if (!is_all_in(solution, {"cuda", "cuda_cpp", "cpp"})) {
    refuse(fmt::format("it is in {}; solutions in Triton and in CUDA C++ can be judged so",
                       visible_line(fmt::format("{}", fmt::join(solution.languages, " and ")))));
  }
  const Workloads workloads = read_workloads("workloads.jsonl", problem.workloads, definition);
  if (workloads.all.empty()) refuse("its case has no workload");
  return kernel_in_cuda(solution, definition, json, workloads.all.front());
}

std::vector<WorkloadOfCase> workloads_in_case(const DefinitionInCase& problem) {
  const Definition definition = read_definition("definition.json", problem.definition);
  const Json json = parsed_entry("problem.json", problem.problem);
  const JsonEntry symbols = JsonEntry("problem.json", json).inner("axes");
  std::vector<WorkloadOfCase> found;
  for (const Workload& workload :
       read_workloads("workloads.jsonl", problem.workloads, definition).all) {
    WorkloadOfCase each{.uuid = workload.uuid, .symbols = {}, .json = workload.json};
    for (const auto& [axis, value] : workload.axes)
      each.symbols[symbols.text(axis.c_str())] = value;
    found.push_back(std::move(each));
  }
  return found;
}

bool are_traces(const std::string& text) {
  try {
    const Json json = parsed_entry("traces", text.substr(0, text.find('\n')));
    return json.is_object() && json.contains("definition") && json.contains("workload");
  } catch (const Error&) {
    return false;
  }
}

std::string trace_line(const Solution& solution, const WorkloadOfCase& workload,
                       const SolutionRun& run) {
  const bool has_errors = run.status == "PASSED" || run.status == "INCORRECT_NUMERICAL";
  Json evaluation = {{"status", run.status},
                     {"environment", {{"hardware", run.hardware}, {"libs", run.libs}}},
                     {"timestamp", run.timestamp},
                     {"log", run.log},
                     {"correctness", nullptr},
                     {"performance", nullptr}};
  if (has_errors) {
    evaluation["correctness"] = {{"max_relative_error", run.max_relative_error},
                                 {"max_absolute_error", run.max_absolute_error}};
  }
  if (run.status == "PASSED") {
    const double speedup = run.latency_ms > 0 ? run.reference_latency_ms / run.latency_ms : 0;
    evaluation["performance"] = {{"latency_ms", run.latency_ms},
                                 {"reference_latency_ms", run.reference_latency_ms},
                                 {"speedup_factor", speedup}};
  }
  const Json trace = {{"definition", solution.definition},
                      {"workload", parsed_entry("workloads.jsonl", workload.json)},
                      {"solution", solution.name},
                      {"evaluation", evaluation}};
  std::string line = document::line(trace);
  line.pop_back();
  return line;
}

}  // namespace autokernel::bridge
