#include "autokernel/base/cache_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

namespace autokernel {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::optional<fs::path> from_environment(const char* variable) {
  const char* value =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  if (value == nullptr || *value == '\0') return {};
  return fs::path(value);
}

}  // namespace

fs::path cache_folder() {
  if (const auto cache = from_environment("XDG_CACHE_HOME")) return *cache / "autokernel";
  if (const auto home = from_environment("HOME")) return *home / ".cache" / "autokernel";
  return fs::temp_directory_path() / fmt::format("autokernel-{}", ::getuid());
}

bool is_cache_folder_own() {
  struct stat found{};
  return ::stat(cache_folder().c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace autokernel
