#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/definition.h"
#include "autokernel/cases/names.h"
#include "bridge/case_toml.h"
#include "bridge/definition/definition.h"
#include "bridge/definition/input_fills.h"
#include "bridge/definition/safetensors.h"
#include "bridge/foreign/description.h"
#include "bridge/foreign/scripts.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

// Names that C++ takes, each once.
class CppNames {
 public:
  [[nodiscard]] std::string name_for(const std::string& wanted) {
    std::string name = wanted;
    for (char& c : name) {
      if (!cases::is_identifier(std::string("a") + c)) c = '_';
    }
    if (!cases::is_identifier(name) || name.starts_with("__")) name = "v" + name;
    while (cases::is_cpp_keyword(name) || taken_.contains(name)) name += "_";
    taken_.insert(name);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// One case: of workloads that differ in their axes alone.
class DefinitionCase {
 public:
  DefinitionCase(const DefinitionFiles& files, const Definition& definition,
                 std::vector<Workload> workloads, TraceFormat format,
                 const std::optional<fs::path>& python)
      : files_(files),
        definition_(definition),
        workloads_(std::move(workloads)),
        format_(format),
        python_(python) {}

  [[nodiscard]] ImportedProblem imported() {
    order_by_size();
    for (const Axis& axis : definition_.axes) symbols_[axis.name] = names_.name_for(axis.name);
    written_.name = definition_.name;
    written_.comment =
        fmt::format("{} of {}. What is right is what run() of definition.py computes.",
                    quotable(definition_.name), benchmark());
    write_sizes();
    Json inputs = Json::array();
    for (const DefinedTensor& input : definition_.inputs) inputs.push_back(add_input(input));
    Json outputs = Json::array();
    for (const DefinedTensor& output : definition_.outputs) outputs.push_back(add_output(output));
    add_custom_inputs();
    written_.files = {"foreign.py", "problem.json", "definition.py"};
    check();
    imported_.name = definition_.name;
    imported_.files["case.toml"] = case_toml(written_);
    imported_.files["reference.py"] = scripts::reference_definition();
    imported_.files["foreign.py"] = scripts::foreign();
    imported_.files["definition.py"] = definition_.reference;
    imported_.files["problem.json"] =
        Json{
            {"file", "definition.py"}, {"axes", symbols_}, {"inputs", inputs}, {"outputs", outputs}}
            .dump(1) +
        "\n";
    imported_.files["definition.json"] = files_.definition;
    imported_.files["workloads.jsonl"] = files_.workloads;
    return std::move(imported_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Stop::usage,
                fmt::format("cannot import {}: {}", visible_line(files_.definition_file), why));
  }

  [[nodiscard]] const char* benchmark() const {
    return format_ == TraceFormat::sol_execbench ? "SOL-ExecBench" : "FlashInfer Trace";
  }

  [[nodiscard]] double elements(const Workload& workload) const {
    double all = 0;
    for (const auto* const tensors : {&definition_.inputs, &definition_.outputs}) {
      for (const DefinedTensor& tensor : *tensors) {
        if (!tensor.shape) continue;
        double count = 1;
        for (const std::string& axis : *tensor.shape)
          count *= static_cast<double>(extent(axis, workload));
        all += count;
      }
    }
    return all;
  }

  [[nodiscard]] static std::int64_t extent(const std::string& axis, const Workload& workload) {
    const auto found = workload.axes.find(axis);
    return found == workload.axes.end() ? std::stoll(axis) : found->second;
  }

  // The largest first; one of each choice of axes.
  void order_by_size() {
    std::erase_if(workloads_, [&](const Workload& workload) {
      const bool is_empty =
          elements(workload) == 0 ||
          std::ranges::any_of(workload.axes, [](const auto& axis) { return axis.second == 0; });
      if (is_empty) {
        imported_.notes.push_back(fmt::format("workload {} is left out: an axis of it is 0",
                                              visible_line(workload.uuid)));
      }
      return is_empty;
    });
    sort_stably(workloads_,
                [&](const auto& a, const auto& b) { return elements(a) > elements(b); });
    std::set<std::map<std::string, std::int64_t>> known;
    std::erase_if(workloads_,
                  [&](const Workload& each) { return !known.insert(each.axes).second; });
    constexpr std::size_t kMostSizes = 256;  // of a case
    if (workloads_.size() > kMostSizes) {
      imported_.notes.push_back(
          fmt::format("of {} workloads the {} largest are taken", workloads_.size(), kMostSizes));
      workloads_.resize(kMostSizes);
    }
    if (workloads_.empty()) refuse("it has no workload with values");
  }

  void write_sizes() {
    std::set<std::string> names = {"default", "check"};
    const auto add = [&](const std::string& name, const Workload& workload) {
      WrittenSize size{.name = name, .symbols = {}, .comment = quotable(workload.uuid)};
      for (const auto& [axis, value] : workload.axes) size.symbols[symbols_.at(axis)] = value;
      written_.sizes.push_back(std::move(size));
    };
    add("default", workloads_.front());
    add("check", workloads_.back());
    for (std::size_t i = 1; i + 1 < workloads_.size(); ++i) {
      constexpr std::size_t kShort = 8;
      std::string name = "w_";
      for (const char c : workloads_[i].uuid.substr(0, kShort))
        name += cases::is_identifier(std::string("a") + c) ? c : '_';
      while (!names.insert(name).second) name += "_";
      add(name, workloads_[i]);
    }
  }

  // Adds a tensor; what problem.json says of it.
  [[nodiscard]] Json add_tensor(const DefinedTensor& tensor, const char* role) {
    const auto dtype = case_dtype(tensor.dtype);
    if (!dtype) {
      refuse(fmt::format("{} has the dtype {}, which no case can have", visible_line(tensor.name),
                         visible_line(tensor.dtype)));
    }
    WrittenTensor written{.name = names_.name_for(tensor.name),
                          .role = role,
                          .dtype = *dtype,
                          .shape = {},
                          .fill = {}};
    for (const std::string& axis : tensor.shape.value_or(std::vector<std::string>{})) {
      const auto symbol = symbols_.find(axis);
      written.shape.push_back(symbol == symbols_.end() ? axis : symbol->second);
    }
    Json json = {{"name", written.name}, {"dtype", tensor.dtype}};
    if (written.shape.empty()) {
      written.shape.emplace_back("1");
      json["zero_dim"] = true;
    }
    // Of two numbers to a byte, an axis counts numbers.
    if (*dtype == "e2m1x2") written.shape.back() += "/2";
    written_.tensors.push_back(std::move(written));
    return json;
  }

  [[nodiscard]] Json add_output(const DefinedTensor& output) { return add_tensor(output, "out"); }

  [[nodiscard]] Json add_input(const DefinedTensor& input) {
    const WorkloadInput& given = workloads_.front().inputs.at(input.name);
    if (!input.shape) return add_scalar(input);
    Json json = add_tensor(input, "in");
    json["kind"] = "tensor";
    WrittenTensor& written = written_.tensors.back();
    if (given.type == "safetensors") {
      written.fill = stored(input, given, written);
    } else if (given.type == "random") {
      const RandomFill random = random_fill(input, written.dtype, written.shape, format_);
      written.fill = random.fill;
      if (!random.note.empty())
        imported_.notes.push_back(fmt::format("{}: {}", written.name, random.note));
    } else if (given.type == "scalar") {
      refuse(fmt::format("{} has a shape, and a workload gives it one number",
                         visible_line(input.name)));
    }
    case_names_[input.name] = written.name;
    return json;
  }

  // Of several values, that of most workloads.
  [[nodiscard]] WorkloadInput usual(const DefinedTensor& input) const {
    std::map<double, int> counts;
    for (const Workload& each : workloads_) ++counts[each.inputs.at(input.name).value];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
    WorkloadInput given = workloads_.front().inputs.at(input.name);
    given.value = most->first;
    return given;
  }

  [[nodiscard]] Json add_scalar(const DefinedTensor& input) {
    const WorkloadInput given = usual(input);
    const auto dtype = case_dtype(input.dtype);
    if (!dtype || given.type != "scalar") {
      refuse(fmt::format("{} is a scalar of the dtype {}, and workloads do not give its value",
                         visible_line(input.name), visible_line(input.dtype)));
    }
    const std::size_t before = workloads_.size();
    std::erase_if(workloads_, [&](const Workload& each) {
      return each.inputs.at(input.name).value != given.value;
    });
    if (workloads_.size() != before) {
      imported_.notes.push_back(fmt::format("{}: of {} workloads, the {} are taken that give it {}",
                                            visible_line(input.name), before, workloads_.size(),
                                            given.value));
      written_.sizes.clear();
      write_sizes();
    }
    const std::string name = names_.name_for(input.name);
    written_.scalars.push_back(
        {.name = name, .dtype = *dtype, .value = number_text(given.value, *dtype)});
    return {{"name", name}, {"dtype", input.dtype}, {"kind", "scalar"}};
  }

  [[nodiscard]] WrittenFill stored(const DefinedTensor& input, const WorkloadInput& given,
                                   const WrittenTensor& written) {
    const auto bytes = files_.blob(given.path);
    if (!bytes) {
      refuse(
          fmt::format("the values of {} are in {}, which is not there; fetch the data set with "
                      "its files",
                      visible_line(input.name), visible_line(given.path)));
    }
    StoredTensor tensor = safetensors_entry(given.path, *bytes, given.tensor_key);
    std::vector<std::int64_t> shape;
    for (const std::string& axis : input.shape.value_or(std::vector<std::string>{}))
      shape.push_back(extent(axis, workloads_.front()));
    std::uint64_t bytes_of_all = dtype_bytes(written.dtype);
    for (const std::int64_t each : shape) bytes_of_all *= static_cast<std::uint64_t>(each);
    if (tensor.dtype != stored_dtype(written.dtype) || tensor.bytes.size() != bytes_of_all) {
      refuse(fmt::format("{} of {} is {} of {} bytes, and the definition says {}",
                         visible_line(given.tensor_key), visible_line(given.path),
                         visible_line(tensor.dtype), tensor.bytes.size(),
                         visible_line(input.dtype)));
    }
    if (shape != tensor.shape) {
      refuse(fmt::format("{} of {} has other extents than the workload says",
                         visible_line(given.tensor_key), visible_line(given.path)));
    }
    return kept(written.name, tensor.bytes);
  }

  [[nodiscard]] WrittenFill kept(const std::string& name, const std::string& bytes) {
    const std::string file = fmt::format("values/{}.bin", name);
    imported_.files[file] = bytes;
    imported_.notes.push_back(fmt::format("{}: its values are those of the workload", name));
    return kept_values(file, bytes);
  }

  // The function of a definition that makes inputs says how they are distributed.
  void add_custom_inputs() {
    InputMaker maker{.function = definition_.custom_inputs, .tensors = {}};
    for (const auto& [input, name] : case_names_)
      if (workloads_.front().inputs.at(input).type == "custom") maker.tensors.push_back(input);
    if (maker.tensors.empty()) return;
    if (!python_) {
      refuse(
          fmt::format("its inputs are made by {}() in Python, which has to be run to find out "
                      "how they are distributed; --allow lets it run, confined to a folder of "
                      "its own, without network and GPU",
                      visible_line(definition_.custom_inputs)));
    }
    const Description description =
        describe({.format = "definition",
                  .file = "definition.py",
                  .text = definition_.reference,
                  .beside = {}},
                 arguments(), python_.value_or(fs::path()), {.maker = maker});
    for (const DescribedTensor& tensor : description.tensors) fill(tensor);
    for (const std::string& note : description.notes) imported_.notes.push_back(note);
  }

  // What the function is told: axes and scalars.
  [[nodiscard]] std::string arguments() const {
    Json json = workloads_.front().axes;
    for (const auto& [name, input] : workloads_.front().inputs)
      if (input.type == "scalar") json[name] = input.value;
    return json.dump();
  }

  // As the function that makes an input fills it.
  void fill(const DescribedTensor& tensor) {
    const auto name = case_names_.find(tensor.name);
    if (name == case_names_.end()) return;
    const auto written = std::ranges::find(written_.tensors, name->second, &WrittenTensor::name);
    if (tensor.distribution != "kept") {
      written->fill = fill_of(tensor);
      return;
    }
    if (workloads_.size() > 1) {
      imported_.notes.push_back(fmt::format(
          "of {} workloads the largest is taken: the values of {} belong together, and are kept",
          workloads_.size(), tensor.name));
      workloads_.resize(1);
      written_.sizes.clear();
      write_sizes();
    }
    written->fill = kept(name->second, tensor.values);
  }

  void check() {
    WorkloadTolerance tolerance = workloads_.front().tolerance;
    for (const Workload& each : workloads_) {
      tolerance.absolute = std::min(tolerance.absolute, each.tolerance.absolute);
      tolerance.relative = std::min(tolerance.relative, each.tolerance.relative);
      tolerance.matched_ratio = std::max(tolerance.matched_ratio, each.tolerance.matched_ratio);
    }
    written_.check = {
        .absolute = tolerance.absolute,
        .relative = tolerance.relative,
        .whose = fmt::format("{}'s own{}", benchmark(), files_.lax ? "" : ", for every element")};
    constexpr double kWide = 0.1;
    if (tolerance.relative > kWide || tolerance.absolute > 10 * kWide) {
      imported_.notes.push_back(fmt::format(
          "its tolerance is wide, {:.3g} and {:.3g} of a number: much that is wrong passes",
          tolerance.absolute, tolerance.relative));
    }
    if (files_.lax) {
      written_.check.may_be_wrong = 1 - tolerance.matched_ratio;
    } else if (tolerance.matched_ratio < 1) {
      imported_.notes.push_back(
          fmt::format("the benchmark lets {:.3g} % of the elements be wrong; here none may be",
                      100 * (1 - tolerance.matched_ratio)));
    }
  }

  const DefinitionFiles& files_;
  const Definition& definition_;
  std::vector<Workload> workloads_;
  TraceFormat format_;
  const std::optional<fs::path>& python_;
  CppNames names_;
  std::map<std::string, std::string> symbols_;     // by axis
  std::map<std::string, std::string> case_names_;  // of input tensors, by their own
  WrittenCase written_;
  ImportedProblem imported_;
};

[[nodiscard]] bool brings_values(const Workload& workload) {
  return std::ranges::any_of(workload.inputs,
                             [](const auto& input) { return input.second.type == "safetensors"; });
}

}  // namespace

std::vector<ImportedProblem> import_definition(const DefinitionFiles& files,
                                               const std::optional<fs::path>& python) {
  const Definition definition = read_definition(files.definition_file, files.definition);
  const Workloads workloads = read_workloads(files.workloads_file, files.workloads, definition);
  std::vector<ImportedProblem> imported;
  std::vector<Workload> random;
  for (const Workload& workload : workloads.all) {
    if (!brings_values(workload)) {
      random.push_back(workload);
      continue;
    }
    imported.push_back(
        DefinitionCase(files, definition, {workload}, workloads.format, python).imported());
    constexpr std::size_t kShort = 8;
    imported.back().name += "_" + workload.uuid.substr(0, kShort);
  }
  if (!random.empty() || imported.empty()) {
    imported.push_back(
        DefinitionCase(files, definition, std::move(random), workloads.format, python).imported());
  }
  return imported;
}

}  // namespace autokernel::bridge
