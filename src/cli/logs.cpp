#include "cli/logs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestLog = std::size_t{2} << 20U;
constexpr std::size_t kLogsKept = 20;
constexpr const char* kPrefix = "bench-";

[[nodiscard]] std::optional<fs::path> repository_of(const fs::path& directory) {
  std::error_code ignored;
  // A file of that name is a worktree's or a submodule's.
  for (fs::path folder = fs::weakly_canonical(directory, ignored); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return folder;
    if (folder == folder.root_path()) return {};
  }
  return {};
}

[[nodiscard]] std::optional<fs::path> from_environment(const char* variable) {
  const char* value =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  if (value == nullptr || *value == '\0') return {};
  return fs::path(value);
}

[[nodiscard]] fs::path cache_folder() {
  if (const auto cache = from_environment("XDG_CACHE_HOME")) return *cache / "autokernel";
  if (const auto home = from_environment("HOME")) return *home / ".cache" / "autokernel";
  return fs::temp_directory_path() / fmt::format("autokernel-{}", ::getuid());
}

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) {
    throw Error(Stop::environment,
                "cannot make the folder " + folder.string() + ": " + failure.message());
  }
}

// What we keep in a repository is invisible to git from the first moment on.
[[nodiscard]] fs::path folder_in(const fs::path& repository) {
  const fs::path folder = repository / ".autokernel";
  make_folder(folder / "logs");
  if (!fs::exists(folder / ".gitignore")) write_file_atomically(folder / ".gitignore", "*\n");
  return folder / "logs";
}

[[nodiscard]] fs::path folder_for(const fs::path& case_directory) {
  if (const auto repository = repository_of(case_directory)) return folder_in(*repository);
  const fs::path folder = cache_folder() / "logs";
  make_folder(folder);
  return folder;
}

// The name sorts by time, and no two runs share it.
[[nodiscard]] std::string new_name() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto milliseconds = now.time_since_epoch().count() % 1000;
  return fmt::format("{}{:%Y%m%dT%H%M%S}.{:03}Z-{}.log", kPrefix,
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds,
                     ::getpid());
}

void remove_all_but_the_newest(const fs::path& folder, const fs::path& written) {
  std::vector<fs::path> logs;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(".log")) logs.push_back(entry->path());
  }
  if (logs.size() <= kLogsKept) return;
  std::ranges::sort(logs);
  // Where the clock was set back, logs written before bear later names.
  std::erase(logs, written);
  for (auto log = logs.begin(); log != logs.end() - (kLogsKept - 1); ++log)
    fs::remove(*log, ignored);
}

}  // namespace

fs::path keep_log(const fs::path& case_directory, const std::string& text) {
  BoundedText bounded(kLargestLog);
  bounded.add(text);
  const fs::path folder = folder_for(case_directory);
  fs::path log = folder / new_name();
  write_file_atomically(log, bounded.text());
  remove_all_but_the_newest(folder, log);
  return log;
}

}  // namespace autokernel::cli
