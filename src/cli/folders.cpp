#include "cli/folders.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::optional<fs::path> from_environment(const char* variable) {
  const char* value =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  if (value == nullptr || *value == '\0') return {};
  return fs::path(value);
}

}  // namespace

std::optional<fs::path> repository_of(const fs::path& directory) {
  std::error_code ignored;
  // A file of that name is a worktree's or a submodule's.
  for (fs::path folder = fs::weakly_canonical(directory, ignored); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return folder;
    if (folder == folder.root_path()) return {};
  }
  return {};
}

fs::path cache_folder() {
  if (const auto cache = from_environment("XDG_CACHE_HOME")) return *cache / "autokernel";
  if (const auto home = from_environment("HOME")) return *home / ".cache" / "autokernel";
  std::error_code missing;
  const fs::path temporary = fs::temp_directory_path(missing);
  return (missing ? "/tmp" : temporary) / fmt::format("autokernel-{}", ::getuid());
}

fs::path logs_folder(const fs::path& directory) {
  if (const auto repository = repository_of(directory)) return *repository / ".autokernel" / "logs";
  return cache_folder() / "logs";
}

}  // namespace autokernel::cli
