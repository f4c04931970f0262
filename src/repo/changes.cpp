// What differs from the head's commit, as `git status` sees it.
#include <fmt/format.h>

#include <algorithm>

#include "repo/git_failure.h"
#include "repo/index.h"
#include "repo/objects.h"
#include "repo/worktree.h"

namespace autokernel::repo {
namespace {

constexpr unsigned kInWorktree =
    GIT_STATUS_WT_MODIFIED | GIT_STATUS_WT_TYPECHANGE | GIT_STATUS_WT_RENAMED;
constexpr unsigned kChanged = kInWorktree | GIT_STATUS_WT_NEW | GIT_STATUS_WT_DELETED |
                              GIT_STATUS_INDEX_NEW | GIT_STATUS_INDEX_MODIFIED |
                              GIT_STATUS_INDEX_DELETED | GIT_STATUS_INDEX_RENAMED |
                              GIT_STATUS_INDEX_TYPECHANGE | GIT_STATUS_CONFLICTED;

[[nodiscard]] Owned<git_status_list*> status_list(const OpenRepository& open,
                                                  const std::string& attempt) {
  git_status_options options{};
  check(git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION), attempt,
        "git_status_options_init");
  options.show = GIT_STATUS_SHOW_INDEX_AND_WORKDIR;
  // Without recursion, so that a folder of a million files costs nothing; without refreshing,
  // because libgit2 would hide that it could not.
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_EXCLUDE_SUBMODULES |
                  GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH | GIT_STATUS_OPT_NO_REFRESH;
  refresh_index(open);
  git_status_list* list = nullptr;
  check(git_status_list_new(&list, open.git(), &options), attempt, "git_status_list_new");
  return own(list);
}

[[nodiscard]] std::string path_of(const git_status_entry& entry) {
  const git_diff_delta* delta =
      entry.index_to_workdir != nullptr ? entry.index_to_workdir : entry.head_to_index;
  const char* path = delta->new_file.path != nullptr ? delta->new_file.path : delta->old_file.path;
  return path;
}

// Files that a sparse checkout leaves out are marked in the index, and libgit2 takes them for
// deleted.
[[nodiscard]] bool is_left_out(const OpenRepository& open, const git_status_entry& entry) {
  if (entry.status != GIT_STATUS_WT_DELETED) return false;
  const Owned<git_index*> index = index_of(open);
  const git_index_entry* known = git_index_get_bypath(index.get(), path_of(entry).c_str(), 0);
  return known != nullptr && (known->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

// libgit2 takes a file of another size for another file, even where only line ends differ that git
// converts anyway.
[[nodiscard]] bool is_the_same(const git_status_entry& entry, const std::string& blob) {
  if (entry.status != GIT_STATUS_WT_MODIFIED || blob.empty()) return false;
  const git_diff_delta& delta = *entry.index_to_workdir;
  return delta.old_file.mode == delta.new_file.mode && text_of(delta.old_file.id) == blob;
}

// One word for what git tells of the index and of the worktree.
[[nodiscard]] std::string word_for(unsigned status, const std::string& blob) {
  const auto is = [status](unsigned flags) { return (status & flags) != 0; };
  if (is(GIT_STATUS_CONFLICTED)) return "in conflict";
  if (is(GIT_STATUS_WT_DELETED)) return "deleted";
  if (is(GIT_STATUS_INDEX_DELETED)) return blob.empty() ? "deleted" : "staged";
  if (is(GIT_STATUS_WT_NEW)) return "new";
  if (is(kInWorktree)) return "modified";
  return "staged";
}

}  // namespace

std::vector<Change> Repository::changes(const Paths& passed_over) const {
  const std::string attempt =
      fmt::format("cannot find out what has changed in {}", root().string());
  const Owned<git_status_list*> list = status_list(*opened_, attempt);
  std::vector<Change> changes;
  const std::size_t count = git_status_list_entrycount(list.get());
  for (std::size_t i = 0; i < count; ++i) {
    const git_status_entry* entry = git_status_byindex(list.get(), i);
    if ((entry->status & kChanged) == 0 || is_left_out(*opened_, *entry)) continue;
    Change change;
    change.path = path_of(*entry);
    if (passed_over && passed_over(change.path)) continue;
    if (!change.path.ends_with('/')) change.blob = hash_of(change.path);
    if (is_the_same(*entry, change.blob)) continue;
    change.what = word_for(entry->status, change.blob);
    changes.push_back(std::move(change));
  }
  std::ranges::sort(changes, {}, &Change::path);
  return changes;
}

}  // namespace autokernel::repo
