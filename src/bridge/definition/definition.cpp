#include "bridge/definition/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/compile/size_formula.h"
#include "bridge/definition/entry_json.h"

namespace autokernel::bridge {
namespace {

using document::Json;

[[nodiscard]] Axis axis_of(const std::string& name, const JsonEntry& entry) {
  Axis axis{.name = name, .expression = {}};
  const std::string type = entry.text("type");
  if (type == "const") {
    axis.kind = Axis::Kind::constant;
    axis.value = entry.count("value");
  } else if (type == "expr") {
    axis.kind = Axis::Kind::expression;
    axis.expression = entry.text("expression");
  } else if (type != "var") {
    entry.fail(fmt::format("is an axis of type \"{}\"; const, var and expr are known",
                           visible_line(type)));
  }
  return axis;
}

[[nodiscard]] DefinedTensor tensor_of(const std::string& name, const JsonEntry& entry,
                                      const std::set<std::string>& axes) {
  DefinedTensor tensor{.name = name,
                       .dtype = entry.text("dtype"),
                       .shape = {},
                       .description = entry.text_or_none("description")};
  if (!entry.has("shape")) return tensor;
  const Json& shape = entry.at("shape");
  if (!shape.is_array()) entry.fail("has a shape that is no list");
  tensor.shape.emplace();
  for (const Json& extent : shape) {
    const std::string axis = extent.is_string()            ? extent.get<std::string>()
                             : extent.is_number_unsigned() ? extent.dump()
                                                           : "";
    const bool is_number =
        !axis.empty() && axis.find_first_not_of("0123456789") == std::string::npos;
    constexpr std::size_t kMostDigits = 12;  // 2^40 has 13
    if (is_number && axis.size() > kMostDigits)
      entry.fail(fmt::format("has {} in its shape, which is too large", axis));
    if (!is_number && !axes.contains(axis))
      entry.fail(fmt::format("has {} in its shape, which is no axis", visible_line(extent.dump())));
    tensor.shape->push_back(axis);
  }
  return tensor;
}

[[nodiscard]] WorkloadInput input_of(const JsonEntry& entry) {
  WorkloadInput input{.type = entry.text("type"), .path = {}, .tensor_key = {}};
  static const std::set<std::string> kTypes = {"random", "scalar", "safetensors", "custom"};
  if (!kTypes.contains(input.type)) {
    entry.fail(
        fmt::format("is of the type \"{}\"; random, scalar, safetensors and custom are known",
                    visible_line(input.type)));
  }
  if (input.type == "scalar") input.value = entry.number("value");
  if (input.type == "safetensors") {
    input.path = entry.text("path");
    input.tensor_key = entry.text("tensor_key");
  }
  return input;
}

// Adds the axes that do not vary.
void resolve(const Definition& definition, Workload& workload, const JsonEntry& entry) {
  for (const Axis& axis : definition.axes) {
    if (axis.kind == Axis::Kind::constant) workload.axes[axis.name] = axis.value;
    if (axis.kind == Axis::Kind::variable && !workload.axes.contains(axis.name))
      entry.fail(fmt::format("has no value for the axis {}", visible_line(axis.name)));
  }
  for (const Axis& axis : definition.axes) {
    if (axis.kind != Axis::Kind::expression) continue;
    const auto value = compile::value_of(in_whole_numbers(axis.expression), workload.axes);
    if (const auto* why = std::get_if<std::string>(&value)) {
      entry.fail(fmt::format("cannot tell the axis {}: \"{}\" {}", visible_line(axis.name),
                             visible_line(axis.expression), *why));
    }
    workload.axes[axis.name] = std::get<std::int64_t>(value);
  }
}

[[nodiscard]] Workload workload_of(const JsonEntry& entry, const Definition& definition) {
  Workload workload{.uuid = entry.text_or_none("uuid"), .axes = {}, .inputs = {}, .tolerance = {}};
  const JsonEntry axes = entry.inner("axes");
  for (const auto& [name, value] : entry.at("axes").items()) {
    const bool is_variable = std::ranges::any_of(definition.axes, [&](const Axis& axis) {
      return axis.name == name && axis.kind == Axis::Kind::variable;
    });
    if (is_variable) workload.axes[name] = axes.count(name.c_str());
  }
  resolve(definition, workload, entry);
  entry.each("inputs", [&](const std::string& name, const JsonEntry& input) {
    workload.inputs[name] = input_of(input);
  });
  for (const DefinedTensor& input : definition.inputs) {
    if (!workload.inputs.contains(input.name))
      entry.fail(fmt::format("says nothing of the input {}", visible_line(input.name)));
  }
  if (!entry.has("tolerance")) return workload;
  const JsonEntry tolerance = entry.inner("tolerance");
  workload.tolerance.absolute = tolerance.number_or("max_atol", workload.tolerance.absolute);
  workload.tolerance.relative = tolerance.number_or("max_rtol", workload.tolerance.relative);
  workload.tolerance.matched_ratio =
      tolerance.number_or("required_matched_ratio", workload.tolerance.matched_ratio);
  return workload;
}

}  // namespace

std::string in_whole_numbers(std::string expression) {
  for (std::size_t at = 0; (at = expression.find("//", at)) != std::string::npos;)
    expression.erase(at, 1);
  return expression;
}

Definition read_definition(const std::string& file, const std::string& text) {
  const Json json = parsed_entry(file, text);
  const JsonEntry entry(file, json);
  Definition definition{.name = entry.text("name"),
                        .description = entry.text_or_none("description"),
                        .axes = {},
                        .inputs = {},
                        .outputs = {},
                        .reference = entry.text("reference"),
                        .custom_inputs = entry.text_or_none("custom_inputs_entrypoint")};
  std::set<std::string> names;
  entry.each("axes", [&](const std::string& name, const JsonEntry& axis) {
    definition.axes.push_back(axis_of(name, axis));
    names.insert(name);
  });
  constexpr std::size_t kMostAxes = 256;
  if (definition.axes.size() > kMostAxes)
    entry.fail(
        fmt::format("has {} axes; at most {} can be imported", definition.axes.size(), kMostAxes));
  for (const bool are_read : {true, false}) {
    entry.each(are_read ? "inputs" : "outputs",
               [&](const std::string& name, const JsonEntry& tensor) {
                 auto& tensors = are_read ? definition.inputs : definition.outputs;
                 tensors.push_back(tensor_of(name, tensor, names));
               });
  }
  if (definition.outputs.empty()) entry.fail("has no outputs, so that there is nothing to judge");
  return definition;
}

Workloads read_workloads(const std::string& file, const std::string& text,
                         const Definition& definition) {
  Workloads workloads;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const Json json = parsed_entry(where, line);
    const JsonEntry entry(where, json);
    if (!entry.has("workload")) {
      workloads.format = TraceFormat::sol_execbench;
      workloads.all.push_back(workload_of(entry, definition));
      workloads.all.back().json = document::line(json);
      // What SOL-ExecBench takes where a workload does not say.
      constexpr double kMatched = 0.99;
      if (!entry.has("tolerance") || !entry.inner("tolerance").has("required_matched_ratio"))
        workloads.all.back().tolerance.matched_ratio = kMatched;
    } else if (entry.text("definition") == definition.name && !entry.has("solution")) {
      workloads.all.push_back(workload_of(entry.inner("workload"), definition));
      workloads.all.back().json = document::line(json["workload"]);
    }
  }
  return workloads;
}

}  // namespace autokernel::bridge
