#include "repo/deep_folders.h"

#include <system_error>

#include "repo/git_failure.h"
#include "repo/index.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;

// libgit2 gives up at a hundred, and paths of 4096 bytes are the longest that a system takes.
constexpr int kDeepest = 90;
constexpr std::size_t kLongest = 3500;

// Whether git knows a file below the folder, whose path ends in '/'.
[[nodiscard]] bool is_known(git_index* index, const std::string& folder) {
  return git_index_find_prefix(nullptr, index, folder.c_str()) == 0;
}

[[nodiscard]] std::string highest_unknown(git_index* index, const fs::path& nested) {
  std::string folder;
  for (const fs::path& part : nested) {
    folder += part.string() + "/";
    if (!is_known(index, folder)) break;
  }
  return folder;
}

}  // namespace

std::optional<std::string> folder_with_deep_nest(const OpenRepository& open) {
  const Owned<git_index*> index = index_of(open);
  std::error_code failed;
  fs::recursive_directory_iterator entry(open.root, fs::directory_options::skip_permission_denied,
                                         failed);
  for (const fs::recursive_directory_iterator end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry.depth() == 0 && entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    const bool is_deep = entry.depth() >= kDeepest || entry->path().native().size() >= kLongest;
    if (is_deep) {
      return highest_unknown(index.get(), entry->path().lexically_relative(open.root));
    }
  }
  return std::nullopt;
}

}  // namespace autokernel::repo
