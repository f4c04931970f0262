#include "loop/harness_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "autokernel/base/sha256.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// Which file it is, and when it was last written. The last of them, the time of its last change of
// any kind, is the kernel's own: who writes to a file cannot set it back, as long as the clock of
// the machine is not. So a library of 50 MB need not be read at every step. None: there is no file.
[[nodiscard]] std::optional<std::string> stamp_of(const fs::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return fmt::format("{}:{}:{}:{}.{:09}:{}.{:09}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

// By what a file is known, wherever it lies: /proc/self/exe is a link to the program.
[[nodiscard]] fs::path place_of(const fs::path& file) {
  std::error_code failed;
  const fs::path place = fs::read_symlink(file, failed);
  return failed ? file : place;
}

[[nodiscard]] std::string short_hash(const std::string& sha256) { return sha256.substr(0, 12); }

}  // namespace

std::vector<ledger::HarnessFile> harness_files(const std::vector<fs::path>& files) {
  std::vector<ledger::HarnessFile> harness;
  for (const fs::path& file : files) {
    const auto stamp = stamp_of(file);
    if (!stamp) continue;
    const fs::path place = place_of(file);
    harness.push_back({.name = place.filename().string(),
                       .path = place.string(),
                       .sha256 = sha256_of_file(file),
                       .stamp = *stamp});
  }
  return harness;
}

std::vector<std::string> harness_faults(const std::vector<ledger::HarnessFile>& then,
                                        const std::vector<fs::path>& files) {
  std::vector<std::string> faults;
  for (const ledger::HarnessFile& one : then) {
    const auto now = std::ranges::find_if(
        files, [&](const fs::path& file) { return place_of(file).filename() == one.name; });
    const auto stamp = now == files.end() ? std::nullopt : stamp_of(*now);
    if (!stamp) {
      faults.push_back(fmt::format("{}, which the run was started with, is gone", one.path));
      continue;
    }
    if (*stamp == one.stamp) continue;
    const std::string sha256 = sha256_of_file(*now);
    if (sha256 == one.sha256) continue;
    faults.push_back(
        fmt::format("{} is not the file that the run was started with (SHA-256 {}..., "
                    "then {}...)",
                    place_of(*now).string(), short_hash(sha256), short_hash(one.sha256)));
  }
  return faults;
}

}  // namespace autokernel::loop
