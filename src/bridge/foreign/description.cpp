#include "bridge/foreign/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/names.h"
#include "autokernel/compile/confined_python.h"
#include "bridge/foreign/scripts.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

constexpr const char* kDescribe = "describe_problem.py";
constexpr const char* kValues = "values";  // a folder beside the problem's file
// Models of a hundred layers take half a minute.
constexpr std::chrono::seconds kPatience{300};
constexpr std::size_t kMostPrinted = 4096;

[[noreturn]] void refuse(const ForeignProblem& problem, const std::string& why) {
  throw Error(Stop::usage, fmt::format("cannot import {}: {}", visible_line(problem.file), why));
}

const std::set<std::string> kDtypes = {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i64",
                                       "i32", "i16", "i8",  "u32",  "u8",   "bool"};

class Reader {
 public:
  Reader(const ForeignProblem& problem, const Json& json, fs::path values)
      : problem_(problem), json_(json), values_(std::move(values)) {}

  [[nodiscard]] Description description() const {
    Description description;
    for (const char* const key : {"tensors", "outputs"}) {
      for (const Json& each : list(json_, key)) description.tensors.push_back(tensor(each));
    }
    for (const Json& each : list(json_, "scalars")) {
      description.scalars.push_back({.name = name(each),
                                     .dtype = word(each, "dtype", kDtypes),
                                     .value = number(each, "value")});
    }
    const auto tolerance = json_.find("tolerance");
    if (tolerance != json_.end() && tolerance->is_object()) {
      description.absolute = number(*tolerance, "absolute");
      description.relative = number(*tolerance, "relative");
    }
    const auto structure = json_.find("structure");
    if (structure == json_.end()) unreadable();
    description.structure = structure->dump();
    for (const Json& each : list(json_, "may_be_negative"))
      description.may_be_negative.push_back(plain(each));
    for (const Json& each : list(json_, "left_out")) description.left_out.push_back(plain(each));
    for (const Json& each : list(json_, "notes")) description.notes.push_back(plain(each));
    return description;
  }

 private:
  [[noreturn]] void unreadable() const { refuse(problem_, "what was found of it cannot be read"); }

  [[nodiscard]] Json list(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) return Json::array();
    if (!found->is_array()) unreadable();
    return *found;
  }
  [[nodiscard]] std::string plain(const Json& json) const {
    if (!json.is_string()) unreadable();
    return visible_line(json.get<std::string>());
  }
  [[nodiscard]] std::string text(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (!json.is_object() || found == json.end()) unreadable();
    return plain(*found);
  }
  [[nodiscard]] double number(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) unreadable();
    if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
    if (!found->is_number()) unreadable();
    return found->get<double>();
  }

  // The file of the problem ran in the process that answers, and may have answered in its place.
  [[nodiscard]] std::string word(const Json& json, const char* key,
                                 const std::set<std::string>& known) const {
    std::string found = text(json, key);
    if (!known.contains(found)) unreadable();
    return found;
  }
  // Those of a definition's inputs are only compared.
  [[nodiscard]] std::string name(const Json& json) const {
    std::string found = text(json, "name");
    if (problem_.format != "definition" && !cases::is_identifier(found)) unreadable();
    return found;
  }

  [[nodiscard]] DescribedTensor tensor(const Json& json) const {
    DescribedTensor tensor{.name = name(json),
                           .dtype = word(json, "dtype", kDtypes),
                           .role = word(json, "role", {"in", "out", "inout"}),
                           .shape = {},
                           .distribution = {},
                           .values = {}};
    for (const Json& extent : list(json, "shape")) {
      if (!extent.is_number_unsigned()) unreadable();
      tensor.shape.push_back(extent.get<std::int64_t>());
    }
    if (tensor.shape.empty()) tensor.shape.push_back(1);
    const auto fill = json.find("fill");
    if (fill == json.end() || !fill->is_object()) return tensor;
    tensor.distribution = word(*fill, "distribution", {"normal", "uniform", "integers", "kept"});
    if (fill->contains("low")) tensor.low = number(*fill, "low");
    if (fill->contains("high")) tensor.high = number(*fill, "high");
    if (json.contains("file")) {
      // The process wrote it, which may have put a link there.
      auto values = read_file_below(values_, text(json, "file"), "the values of a tensor");
      if (!values) unreadable();
      tensor.values = *std::move(values);
    }
    return tensor;
  }

  const ForeignProblem& problem_;
  const Json& json_;
  fs::path values_;
};

[[nodiscard]] std::optional<Json> parsed_answer(const std::string& text) {
  try {
    return document::parsed(text);
  } catch (const document::Unreadable&) {
    return std::nullopt;
  }
}

}  // namespace

Description describe(const ForeignProblem& problem, const std::string& arguments,
                     const fs::path& python, const DescribeOptions& options) {
  const ScratchDirectory scratch;
  const fs::path folder = fs::canonical(scratch.path());
  Json request = {{"format", problem.format},
                  {"file", problem.file},
                  {"arguments", Json::parse(arguments)},
                  {"values_folder", kValues}};
  if (options.maker) {
    request["entrypoint"] = options.maker->function;
    request["inputs"] = options.maker->tensors;
  }
  if (options.try_negative) request["try_negative"] = true;
  write_file_atomically(folder / compile::kRequestFile, document::line(request), Sync::no);
  write_file_atomically(folder / kDescribe, scripts::describe_problem(), Sync::no);
  write_file_atomically(folder / "origins.py", scripts::origins(), Sync::no);
  write_file_atomically(folder / "foreign.py", scripts::foreign(), Sync::no);
  const fs::path files = folder / compile::kFilesFolder;
  make_folders(files);
  write_file_atomically(files / problem.file, problem.text, Sync::no);
  for (const auto& [path, text] : problem.beside) {
    make_folders((files / path).parent_path());
    write_file_atomically(files / path, text, Sync::no);
  }
  const EndedRun run =
      run_to_end(compile::confined_python(python, folder, kDescribe), kPatience, kMostPrinted);
  const auto answer = read_file_below(folder, compile::kAnswerFile, "what was found of a problem");
  const auto json = answer ? parsed_answer(*answer) : std::nullopt;
  if (!json || !json->is_object()) {
    std::string last = visible_text(run.output);
    while (!last.empty() && last.back() == '\n') last.pop_back();
    const std::size_t begin = last.rfind('\n') + 1;
    if (last.find("No module named 'torch'") != std::string::npos) {
      throw Error(Stop::environment,
                  fmt::format("cannot import {}: {} has no PyTorch; activate an environment that "
                              "has, or name its Python with --python",
                              visible_line(problem.file), python.string()));
    }
    refuse(problem, !run.ending ? "running it took more than 300 s"
                                : "it could not be run: " + last.substr(begin));
  }
  if (json->contains("error")) {
    const Json& error = (*json)["error"];
    refuse(problem, error.is_string() ? visible_line(error.get<std::string>()) : "it failed");
  }
  return Reader(problem, *json, files / kValues).description();
}

double elements(const Description& description) {
  double all = 0;
  for (const DescribedTensor& tensor : description.tensors) {
    double count = 1;
    for (const std::int64_t extent : tensor.shape) count *= static_cast<double>(extent);
    all += count;
  }
  return all;
}

bool has_kept(const Description& description) {
  return std::ranges::any_of(description.tensors, [](const DescribedTensor& tensor) {
    return tensor.distribution == "kept";
  });
}

WrittenFill fill_of(const DescribedTensor& tensor) {
  WrittenFill fill{.name = tensor.distribution};
  if (fill.name == "normal") return fill;
  const auto text = [&](double value) {
    return fill.name == "integers" ? std::to_string(static_cast<std::int64_t>(value))
                                   : floating_text(value);
  };
  fill.low = text(tensor.low);
  fill.high = text(tensor.high);
  return fill;
}

}  // namespace autokernel::bridge
