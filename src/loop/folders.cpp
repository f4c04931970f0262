#include "loop/folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "autokernel/base/files.h"
#include "autokernel/cases/command.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

}  // namespace

void Folders::make() const {
  make_below(own());
  // Whatever else lies there, git would open it, too: a named pipe for ever.
  std::error_code failed;
  const std::filesystem::path ignore = own() / ".gitignore";
  const auto status = std::filesystem::symlink_status(ignore, failed);
  if (!std::filesystem::is_regular_file(status)) write_file_atomically(ignore, "*\n");
}

void Folders::make_below(const std::filesystem::path& folder) const {
  make_folders_below(root_, folder.lexically_relative(root_));
}

std::optional<std::string> Folders::read(const std::filesystem::path& file,
                                         std::string_view role) const {
  return read_file_below(root_, file.lexically_relative(root_), role);
}

fs::path Folders::new_aside(const std::string& name) const {
  std::error_code failed;
  for (int i = 1;; ++i) {
    fs::path folder = aside() / fmt::format("{}-{}", name, i);
    if (fs::exists(fs::symlink_status(folder, failed))) continue;
    make_below(folder);
    return folder;
  }
}

fs::path Folders::of_run(const fs::path& folder) {
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    const fs::path agents = at.parent_path();
    if (agents.filename() == kAgents && agents.parent_path().filename() == kOwn)
      return agents.parent_path().parent_path();
  }
  return folder;
}

bool Folders::are_own(const std::string& path) {
  // A plot is drawn where the user is.
  const std::string name = path.substr(path.rfind('/') + 1);
  return path == cases::kResults || std::ranges::find(cases::kPlots, name) != cases::kPlots.end() ||
         path.starts_with(std::string(kOwn) + "/");
}

}  // namespace autokernel::loop
