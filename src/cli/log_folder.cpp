#include "cli/log_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <vector>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "cli/folders.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestLog = std::size_t{2} << 20U;
constexpr std::size_t kLogsKept = 20;
constexpr const char* kPrefix = "bench-";

// What we keep in a repository is invisible to git from the first moment on.
[[nodiscard]] fs::path folder_in(const fs::path& repository) {
  const fs::path folder = repository / ".autokernel";
  make_folders_below(repository, fs::path(".autokernel") / "logs");
  if (!fs::exists(folder / ".gitignore")) write_file_atomically(folder / ".gitignore", "*\n");
  return folder / "logs";
}

[[nodiscard]] fs::path folder_for(const fs::path& case_directory) {
  if (const auto repository = repository_of(case_directory)) return folder_in(*repository);
  const fs::path folder = cache_folder() / "logs";
  make_folders(folder);
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

[[nodiscard]] fs::path ptx_beside(const fs::path& log) {
  return fs::path(log).replace_extension(".ptx");
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
  for (auto log = logs.begin(); log != logs.end() - (kLogsKept - 1); ++log) {
    fs::remove(*log, ignored);
    fs::remove(ptx_beside(*log), ignored);
  }
}

[[nodiscard]] std::string shortened(const std::string& text) {
  BoundedText bounded(kLargestLog);
  bounded.add(visible_text(text));
  return bounded.text();
}

}  // namespace

fs::path keep_log(const fs::path& case_directory, const std::string& text) {
  const fs::path folder = folder_for(case_directory);
  fs::path log = folder / new_name();
  write_file_atomically(log, shortened(text));
  remove_all_but_the_newest(folder, log);
  return log;
}

void write_log(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << shortened(text) << std::flush;
  if (!stream) {
    throw Error(Stop::usage, "cannot write the log to " + file.string() + ": " +
                                 std::generic_category().message(errno) + " [write]");
  }
}

void keep_ptx(const fs::path& log, const std::string& ptx) {
  std::error_code unreadable;
  const fs::path file = ptx_beside(log);
  if (ptx.empty() || !fs::is_regular_file(log, unreadable) || file == log) return;
  write_file_atomically(file, ptx, Sync::no);
}

}  // namespace autokernel::cli
