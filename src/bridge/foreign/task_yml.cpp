#include "bridge/foreign/task_yml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::bridge {
namespace {

using document::Json;

constexpr std::size_t kMostBytes = 1U << 20U;

[[noreturn]] void refuse_task(const std::string& file, const std::string& why) {
  throw Error(Stop::usage, fmt::format("cannot import {}: {}", visible_line(file), why));
}

// A scalar as Python's reader of YAML takes it.
[[nodiscard]] std::string json_of(const std::string& file, const YAML::Node& node) {
  if (node.IsNull()) return "null";
  if (!node.IsScalar()) refuse_task(file, "a test has an argument that is no number and no text");
  const bool is_quoted = node.Tag() == "!";
  long long whole = 0;
  double real = 0;
  bool truth = false;
  Json json = node.Scalar();
  if (!is_quoted && YAML::convert<long long>::decode(node, whole)) {
    json = whole;
  } else if (!is_quoted && YAML::convert<double>::decode(node, real)) {
    json = real;
  } else if (!is_quoted && YAML::convert<bool>::decode(node, truth)) {
    json = truth;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[nodiscard]] std::vector<TaskArguments> arguments_in(const std::string& file,
                                                      const YAML::Node& list) {
  std::vector<TaskArguments> all;
  if (!list) return all;
  if (!list.IsSequence()) refuse_task(file, "its tests or benchmarks are no list");
  for (const YAML::Node& each : list) {
    if (!each.IsMap()) refuse_task(file, "a test of it is no map of arguments");
    all.emplace_back();
    for (const auto& argument : each)
      all.back()[argument.first.as<std::string>()] = json_of(file, argument.second);
  }
  return all;
}

[[nodiscard]] GpuModeTask task_of(const std::string& file, const YAML::Node& task) {
  GpuModeTask found;
  if (!task.IsMap() || !task["files"].IsSequence()) refuse_task(file, "it has no list of files");
  for (const YAML::Node& each : task["files"])
    found.files[each["name"].as<std::string>()] = each["source"].as<std::string>();
  if (!found.files.contains("reference.py"))
    refuse_task(file, "it has no reference.py; problems in Python can be imported");
  if (task["multi_gpu"] && task["multi_gpu"].as<bool>(false))
    refuse_task(file, "it is for several GPUs");
  found.tests = arguments_in(file, task["tests"]);
  found.benchmarks = arguments_in(file, task["benchmarks"]);
  if (found.tests.empty() && found.benchmarks.empty())
    refuse_task(file, "it has neither tests nor benchmarks");
  return found;
}

}  // namespace

GpuModeTask read_task(const std::string& file, const std::string& text) {
  if (text.size() > kMostBytes) refuse_task(file, "it is larger than 1 MiB");
  try {
    return task_of(file, YAML::Load(text));
  } catch (const YAML::Exception& error) {
    refuse_task(file, fmt::format("line {}: {}", error.mark.line + 1, visible_line(error.msg)));
  }
}

}  // namespace autokernel::bridge
