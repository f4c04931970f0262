#include "cli/folders.h"

#include <system_error>

#include "autokernel/base/cache_folder.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

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

fs::path logs_folder(const fs::path& directory) {
  if (const auto repository = repository_of(directory)) return *repository / ".autokernel" / "logs";
  return cache_folder() / "logs";
}

}  // namespace autokernel::cli
