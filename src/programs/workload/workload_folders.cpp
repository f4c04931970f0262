// Where workload files lie, and which one a name means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/names.h"
#include "autokernel/programs/workload.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".toml";
// As much as read_workload_file() takes, and one byte by which it sees that there is more.
constexpr std::uint64_t kMostFileBytes = (256U << 10) + 1;
// Entries of a folder that are looked at; workloads/ has a handful.
constexpr int kMostFolderEntries = 10'000;

// Beside the running program: as installed, then as in a build tree, where CMake makes the link.
constexpr std::array kBesideTheProgram = {"share/autokernel/workloads", "workloads"};

[[nodiscard]] std::vector<std::string> models_of(const std::vector<ListedWorkload>& listed) {
  std::vector<std::string> models;
  models.reserve(listed.size());
  for (const ListedWorkload& each : listed) models.push_back(each.model);
  return models;
}

[[nodiscard]] Error no_such_model(const std::string& named,
                                  const std::vector<ListedWorkload>& listed) {
  if (listed.empty()) {
    return {Stop::usage,
            fmt::format("there is no workload {}, and none at all beside this program; "
                        "write the path of a workload file",
                        visible_line(named))};
  }
  const std::vector<std::string> models = models_of(listed);
  const std::optional<std::string> meant = cases::nearest(named, models);
  return {Stop::usage,
          fmt::format("there is no workload {}{}; there are {}, or write the path of a file",
                      visible_line(named), meant ? fmt::format(", did you mean {}?", *meant) : "",
                      fmt::join(models, ", "))};
}

[[nodiscard]] fs::path file_named(const std::string& named, const std::vector<fs::path>& folders) {
  if (named.find('/') != std::string::npos || named.ends_with(kEnding)) return named;
  const std::vector<ListedWorkload> listed = list_workloads(folders);
  const auto found = std::ranges::find(listed, named, &ListedWorkload::model);
  if (found == listed.end()) throw no_such_model(named, listed);
  return found->file;
}

}  // namespace

std::vector<fs::path> workload_folders(const fs::path& here) {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<fs::path> folders = {here / "workloads"};
  for (const char* const each : kBesideTheProgram) folders.push_back(prefix / each);
  std::erase_if(folders, [](const fs::path& folder) {
    std::error_code unreadable;
    return !fs::is_directory(folder, unreadable);
  });
  return folders;
}

std::vector<ListedWorkload> list_workloads(const std::vector<fs::path>& folders) {
  std::vector<ListedWorkload> listed;
  for (const fs::path& folder : folders) {
    std::vector<ListedWorkload> here;
    int looked_at = 0;
    std::error_code failed;
    fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed);
    for (; !failed && at != fs::directory_iterator() && looked_at < kMostFolderEntries;
         at.increment(failed), ++looked_at) {
      std::error_code unreadable;
      const bool is_workload = at->path().extension() == kEnding &&
                               !at->path().filename().native().starts_with('.') &&
                               fs::is_regular_file(at->path(), unreadable);
      if (is_workload) here.push_back({at->path().stem().string(), at->path()});
    }
    std::ranges::copy_if(here, std::back_inserter(listed), [&](const ListedWorkload& each) {
      return std::ranges::find(listed, each.model, &ListedWorkload::model) == listed.end();
    });
  }
  std::ranges::sort(listed, {}, &ListedWorkload::model);
  return listed;
}

Workload read_workload(const std::string& named, const WorkloadChoice& choice,
                       const std::vector<fs::path>& folders) {
  if (named.empty())
    throw Error(Stop::usage, "the workload has no name; write a model or the path of a file");
  const fs::path file = file_named(named, folders);
  return parse_workload(read_file(file, "the workload", kMostFileBytes), file, choice);
}

}  // namespace autokernel::programs
