#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/foreign_problem.h"
#include "autokernel/cases/names.h"
#include "bridge/foreign/described_case.h"
#include "bridge/foreign/description.h"
#include "bridge/foreign/scripts.h"
#include "bridge/foreign/task_yml.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

// Each is run to be described, which takes some seconds.
constexpr std::size_t kMostDescribed = 16;
constexpr const char* kProblemFile = "problem.py";  // its reference.py, as reference.py is ours

[[nodiscard]] std::string object_of(const TaskArguments& arguments) {
  Json json = Json::object();
  for (const auto& [name, value] : arguments) json[name] = Json::parse(value);
  return json.dump();
}

[[nodiscard]] std::map<std::string, std::int64_t> numbers_of(const TaskArguments& arguments) {
  std::map<std::string, std::int64_t> numbers;
  for (const auto& [name, value] : arguments) {
    const Json json = Json::parse(value);
    if (json.is_number_integer()) numbers[name] = json.get<std::int64_t>();
  }
  return numbers;
}

// Arguments that differ in more than their seed.
[[nodiscard]] std::vector<TaskArguments> distinct(std::vector<TaskArguments> all) {
  std::set<TaskArguments> known;
  std::erase_if(all, [&](TaskArguments arguments) {
    arguments.erase("seed");
    return !known.insert(std::move(arguments)).second;
  });
  if (all.size() > kMostDescribed) all.resize(kMostDescribed);
  return all;
}

// The problem's own files of Python: not the submission, and not what runs it.
[[nodiscard]] ForeignProblem files_of(const GpuModeProblem& problem, const GpuModeTask& task) {
  ForeignProblem files{.format = "gpu-mode", .file = kProblemFile, .text = {}, .beside = {}};
  for (const auto& [name, source] : task.files) {
    const bool is_helper = name == "task.py" || name == "utils.py";
    if (name != "reference.py" && !is_helper) continue;
    auto text = problem.file(source);
    if (!text) {
      throw Error(Stop::usage, fmt::format("cannot import {}: its file {} is not there",
                                           visible_line(problem.task_file), visible_line(source)));
    }
    (is_helper ? files.beside[name] : files.text) = *std::move(text);
  }
  return files;
}

}  // namespace

ImportedProblem import_gpu_mode(const GpuModeProblem& problem, const fs::path& python) {
  const GpuModeTask task = read_task(problem.task_file, problem.task);
  const ForeignProblem files = files_of(problem, task);
  std::vector<TaskArguments> all = task.benchmarks;
  all.insert(all.end(), task.tests.begin(), task.tests.end());
  std::vector<DescribedSize> sizes;
  for (const TaskArguments& arguments : distinct(std::move(all))) {
    const std::string object = object_of(arguments);
    sizes.push_back({.name = {},
                     .arguments = object,
                     .numbers = numbers_of(arguments),
                     .description = describe(files, object, python)});
  }
  sort_stably(sizes, [](const DescribedSize& a, const DescribedSize& b) {
    return elements(a.description) > elements(b.description);
  });
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i].name = i == 0                  ? "default"
                    : i + 1 == sizes.size() ? "check"
                                            : fmt::format("size_{}", i);
  DescribedProblem described{
      .name = problem.name, .benchmark = "gpu-mode", .file = kProblemFile, .files = files.beside};
  described.files[kProblemFile] = files.text;
  described.files["reference.py"] = scripts::reference_gpumode();
  return described_case(described, std::move(sizes));
}

}  // namespace autokernel::bridge
