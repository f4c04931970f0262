// What differs from the head's commit, as `git status` sees it.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "repo/deep_folders.h"
#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/index.h"
#include "repo/nonblocking_open.h"
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
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_INCLUDE_IGNORED |
                  GIT_STATUS_OPT_EXCLUDE_SUBMODULES | GIT_STATUS_OPT_DISABLE_PATHSPEC_MATCH |
                  GIT_STATUS_OPT_NO_REFRESH;
  refresh_index(open);
  git_status_list* list = nullptr;
  const int status = git_status_list_new(&list, open.git(), &options);
  if (status >= 0) return own(list);
  const Error failure = git_failure(status, attempt, "git_status_list_new");
  if (auto folder = folder_with_deep_nest(open)) throw TooDeep(attempt, *std::move(folder));
  throw failure;
}

[[nodiscard]] std::string path_of(const git_status_entry& entry) {
  const git_diff_delta* delta =
      entry.index_to_workdir != nullptr ? entry.index_to_workdir : entry.head_to_index;
  const char* path = delta->new_file.path != nullptr ? delta->new_file.path : delta->old_file.path;
  return path;
}

// Rules for what is ignored, among which they are themselves: whoever wrote them hides something. A
// folder that is ignored as a whole may have its own.
[[nodiscard]] bool hides_itself(const git_status_entry& entry) {
  constexpr std::string_view kRules = ".gitignore";
  if (entry.status != GIT_STATUS_IGNORED) return false;
  const std::string path = path_of(entry);
  return path.ends_with(kRules) &&
         (path.size() == kRules.size() || path[path.size() - kRules.size() - 1] == '/');
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

// How much is read of all that has changed, of files that git knows and of others: a second's worth
// each. They do not share it, so that a new file changes nothing for the kernel that is edited.
struct Appetite {
  static constexpr std::uint64_t kMost = 256ULL << 20U;
  std::uint64_t known = kMost;
  std::uint64_t unknown = kMost;
};

// What stands for the bytes of the file.
void identify(const OpenRepository& open, Change& change, std::uint64_t& appetite) {
  const auto status = status_of(open, change.path);
  if (!status) return;
  const auto size = static_cast<std::uint64_t>(status->st_size);
  if (S_ISREG(status->st_mode) && (is_too_large(*status) || size > appetite)) {
    change.blob = text_of(stand_in_for(*status));
    change.is_read = false;
    return;
  }
  if (S_ISREG(status->st_mode)) appetite -= size;
  if (const auto blob = blob_of(open, change.path, Keep::no)) change.blob = text_of(*blob);
}

// One word for what git tells of the index and of the worktree.
[[nodiscard]] std::string word_for(unsigned status, const std::string& blob) {
  const auto is = [status](unsigned flags) { return (status & flags) != 0; };
  if (is(GIT_STATUS_CONFLICTED)) return "in conflict";
  if (is(GIT_STATUS_WT_DELETED)) return "deleted";
  if (is(GIT_STATUS_INDEX_DELETED)) return blob.empty() ? "deleted" : "staged";
  if (is(GIT_STATUS_WT_NEW) || is(GIT_STATUS_IGNORED)) return "new";
  if (is(kInWorktree)) return "modified";
  return "staged";
}

}  // namespace

TooDeep::TooDeep(const std::string& attempt, std::string folder)
    : Error(Stop::repository, fmt::format("{}: the folders in {} are nested too deeply; remove it, "
                                          "or move it out of the repository",
                                          attempt, folder)),
      folder_(std::move(folder)) {}

std::vector<Change> Repository::changes(const Paths& passed_over) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot find out what has changed in {}", root().string());
  refuse_endless_settings(opened_->git_folder, opened_->common_folder);
  refresh_index(*opened_);
  refuse_endless_worktree(*opened_);
  Appetite appetite;
  const Owned<git_status_list*> list = status_list(*opened_, attempt);
  std::vector<Change> changes;
  const std::size_t count = git_status_list_entrycount(list.get());
  for (std::size_t i = 0; i < count; ++i) {
    const git_status_entry* entry = git_status_byindex(list.get(), i);
    if ((entry->status & kChanged) == 0 && !hides_itself(*entry)) continue;
    if (is_left_out(*opened_, *entry)) continue;
    Change change;
    change.path = path_of(*entry);
    if (passed_over && passed_over(change.path)) continue;
    if (!change.path.ends_with('/')) {
      const bool is_known = (entry->status & (GIT_STATUS_WT_NEW | GIT_STATUS_IGNORED)) == 0;
      identify(*opened_, change, is_known ? appetite.known : appetite.unknown);
    }
    if (is_the_same(*entry, change.blob)) continue;
    change.what = word_for(entry->status, change.blob);
    changes.push_back(std::move(change));
  }
  std::ranges::sort(changes, {}, &Change::path);
  return changes;
}

}  // namespace autokernel::repo
