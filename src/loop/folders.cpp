#include "loop/folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "autokernel/base/files.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// What `autokernel plot` draws into where it is not told otherwise.
constexpr std::array<std::string_view, 3> kPlots = {"progress.png", "progress.svg",
                                                    "progress.html"};

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

bool Folders::are_own(const std::string& path) {
  return path == kResults || std::ranges::find(kPlots, path) != kPlots.end() ||
         path.starts_with(std::string(kOwn) + "/");
}

}  // namespace autokernel::loop
