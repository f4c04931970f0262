#include "cli/import/found_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// A data set has some thousand files, four folders deep.
constexpr int kDeepestFolder = 8;
constexpr std::size_t kMostEntries = 200'000;

[[nodiscard]] bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

[[nodiscard]] bool is_below(const fs::path& path, const char* folder) {
  return std::ranges::any_of(path.parent_path(),
                             [&](const fs::path& part) { return part == folder; });
}

}  // namespace

std::optional<ProblemKind> problem_kind(const fs::path& file) {
  if (file.filename() == "task.yml") return ProblemKind::gpu_mode;
  if (file.extension() == ".json") return ProblemKind::definition;
  if (file.extension() == ".py") return ProblemKind::kernelbench;
  return std::nullopt;
}

std::vector<FoundProblem> problems_in(const fs::path& folder) {
  std::vector<FoundProblem> found;
  std::vector<FoundProblem> python;
  std::size_t entries = 0;
  std::error_code unreadable;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      unreadable);
  for (; !unreadable && at != fs::recursive_directory_iterator(); at.increment(unreadable)) {
    if (++entries > kMostEntries) break;
    const fs::path& path = at->path();
    const bool is_hidden = path.filename().string().starts_with(".");
    if (is_hidden || at.depth() >= kDeepestFolder) at.disable_recursion_pending();
    if (is_hidden || !is_file(path)) continue;
    const auto kind = problem_kind(path);
    if (kind == ProblemKind::gpu_mode) found.push_back({*kind, path});
    if (kind == ProblemKind::kernelbench && at.depth() == 0) python.push_back({*kind, path});
    const bool is_definition =
        path.filename() == "definition.json" || is_below(path, "definitions");
    if (kind == ProblemKind::definition && is_definition) found.push_back({*kind, path});
  }
  if (found.empty()) found = std::move(python);
  std::ranges::sort(found, {}, &FoundProblem::file);
  return found;
}

fs::path workloads_of(const fs::path& definition) {
  const fs::path absolute = fs::absolute(definition).lexically_normal();
  for (const char* const name : {"workload.jsonl", "workloads.jsonl"}) {
    if (is_file(absolute.parent_path() / name)) return definition.parent_path() / name;
  }
  // definitions/OPERATION/NAME.json: workloads/OPERATION/NAME.jsonl, or without the operation.
  const std::string name = absolute.stem().string() + ".jsonl";
  fs::path below;
  for (fs::path at = absolute.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (at.filename() == "definitions") {
      const fs::path workloads = at.parent_path() / "workloads";
      for (const fs::path& path : {workloads / below / name, workloads / name})
        if (is_file(path)) return path;
    }
    below = below.empty() ? at.filename() : at.filename() / below;
  }
  throw Error(Stop::usage,
              fmt::format("cannot import {}: it has no workloads; they are in workload.jsonl "
                          "beside it, or in {} of the folder workloads beside the folder "
                          "definitions",
                          visible_line(definition.string()), visible_line(name)));
}

std::optional<std::string> blob_of(const fs::path& definition, const std::string& path) {
  constexpr std::uintmax_t kLargest = 1ULL << 30U;
  fs::path named = fs::path(path).lexically_normal();
  // A workload of a stranger's names what it likes.
  if (named.is_absolute() || named.empty() || *named.begin() == "..") return std::nullopt;
  const fs::path beside = fs::absolute(definition).lexically_normal().parent_path();
  // The path is from the root of the data set, or from a folder that holds that: "data/set/blob".
  while (!named.empty()) {
    int level = 0;
    for (fs::path folder = beside; folder.has_relative_path() && level < kDeepestFolder;
         folder = folder.parent_path(), ++level) {
      if (!is_file(folder / named)) continue;
      return read_file_below(folder, named, "the values of a workload", kLargest);
    }
    fs::path shorter;
    for (auto part = std::next(named.begin()); part != named.end(); ++part) shorter /= *part;
    named = shorter;
  }
  return std::nullopt;
}

}  // namespace autokernel::cli
