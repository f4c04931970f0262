#include "autokernel/bridge/submission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "bridge/definition/entry_json.h"
#include "bridge/foreign/scripts.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

constexpr const char* kProblemFolder = "problem";
constexpr const char* kCaller = "call_submission.py";

// What its structure (describe_problem.py) says of how a problem is called.
struct Call {
  bool is_gpu_mode = false;
  std::vector<std::string> given;
  std::vector<std::string> outputs;
};

[[nodiscard]] Call call_of(const JsonEntry& structure) {
  Call call{.is_gpu_mode = structure.has("data"), .given = {}, .outputs = {}};
  const auto each = [&](const char* key, const auto& take) {
    if (!structure.at(key).is_array()) structure.fail(fmt::format("has no list of {}", key));
    for (const Json& plan : structure.at(key))
      if (!plan.is_null()) take(JsonEntry(fmt::format("problem.json, {}", key), plan));
  };
  const auto give = [&](const JsonEntry& plan) { call.given.push_back(plan.text("name")); };
  if (call.is_gpu_mode) {
    each("data", [&](const JsonEntry& plan) {
      give(plan);
      if (plan.number_or("changed", 0) != 0) call.outputs.push_back(plan.text("name"));
    });
  } else {
    each("inputs", give);
    each("state", give);
  }
  each("outputs", [&](const JsonEntry& plan) { call.outputs.push_back(plan.text("name")); });
  return call;
}

[[nodiscard]] Json list_of(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(name);
  return list;
}

}  // namespace

std::optional<std::string> file_of_problem(const std::string& problem_json) {
  try {
    const auto problem = document::parsed(problem_json);
    if (!problem || !problem->is_object() || !problem->contains("sizes")) return std::nullopt;
    const auto file = problem->find("file");
    if (file == problem->end() || !file->is_string()) return std::nullopt;
    return file->get<std::string>();
  } catch (const document::Unreadable&) {
    return std::nullopt;
  }
}

SolutionKernel kernel_of_submission(const Submission& submission, const FileOfCase& file_of_case) {
  const auto refusal = [&](const std::string& why) {
    return Error(Stop::usage,
                 fmt::format("cannot evaluate {}: {}", visible_line(submission.file), why));
  };
  const auto text = file_of_case("problem.json");
  Json problem = text ? parsed_entry("problem.json", *text) : Json::object();
  if (!problem.is_object() || !problem.contains("sizes") || !problem["sizes"].is_array() ||
      problem["sizes"].empty())
    throw refusal(
        "the case is of no problem of KernelBench or gpu-mode; autokernel import makes one");
  const JsonEntry size("problem.json, sizes", problem["sizes"].front());
  const Call call = call_of(size.inner("structure"));
  problem["given"] = list_of(call.given);

  const std::string file = JsonEntry("problem.json", problem).text("file");
  if (fs::path(file).filename() != file || file == kCaller || file == "foreign.py")
    throw refusal("problem.json of the case names a file that is none of a problem");
  SolutionKernel kernel{.main = "kernel.py", .files = {}, .notes = {}};
  const auto add = [&](const std::string& name, std::string content) {
    kernel.files[fmt::format("{}/{}", kProblemFolder, name)] = std::move(content);
  };
  const auto own = file_of_case(file);
  if (!own) throw refusal(fmt::format("its case has no file {}", visible_line(file)));
  add(file, *own);
  if (call.is_gpu_mode) {
    for (const char* const helper : {"task.py", "utils.py"})
      if (auto content = file_of_case(helper)) add(helper, *std::move(content));
  }
  add("foreign.py", scripts::foreign());
  add("problem.json", problem.dump(1) + "\n");
  add(kCaller, scripts::call_submission());
  kernel.files["submission.py"] = submission.text;
  kernel.files[kernel.main] = fmt::format(
      "# Has submission.py called as {} does: by {}/{}.\n"
      "from autokernel import solution\n\n"
      "launch = solution(\"{}/{}\", \"run\", name=\"{}\",\n"
      "                  inputs={},\n"
      "                  outputs={},\n"
      "                  destination_passing=False)\n",
      call.is_gpu_mode ? "gpu-mode" : "KernelBench", kProblemFolder, kCaller, kProblemFolder,
      kCaller, call.is_gpu_mode ? "custom_kernel" : "ModelNew", list_of(call.given).dump(),
      list_of(call.outputs).dump());
  return kernel;
}

}  // namespace autokernel::bridge
