// How files differ between two commits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

std::string Repository::diff(const std::string& from, const std::string& to,
                             std::vector<std::string> paths) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot compare {} in {} and {}", fmt::join(paths, ", "), from, to);
  // Of no names, git would show all there are.
  if (paths.empty()) return {};
  const Owned<git_tree*> before = tree_of(commit_of(opened_->git(), from, attempt).get(), attempt);
  const Owned<git_tree*> after = tree_of(commit_of(opened_->git(), to, attempt).get(), attempt);
  git_diff_options options{};
  check(git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION), attempt,
        "git_diff_options_init");
  // The names as they are: no patterns, even where they have the characters of one.
  options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH;
  std::vector<char*> names;
  names.reserve(paths.size());
  for (std::string& path : paths) names.push_back(path.data());
  options.pathspec = {.strings = names.data(), .count = names.size()};
  git_diff* difference = nullptr;
  check(git_diff_tree_to_tree(&difference, opened_->git(), before.get(), after.get(), &options),
        attempt, "git_diff_tree_to_tree");
  const Owned<git_diff*> owned = own(difference);
  git_buf text = GIT_BUF_INIT;
  check(git_diff_to_buf(&text, difference, GIT_DIFF_FORMAT_PATCH), attempt, "git_diff_to_buf");
  const Owned<git_buf*> owned_text = own(&text);
  return {text.ptr, text.size};
}

}  // namespace autokernel::repo
