// A worktree of the repository that is nobody's but a program's: made, set to a commit and removed
// as a whole. Its head is detached, so that no branch is taken by it.
//
// libgit2 makes one with a branch of its own alone, so the three files that tie it to the
// repository are written here, as gitrepository-layout(5) has them.
#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/files.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

void Repository::link_worktree(const fs::path& path, const std::string& name,
                               const std::string& commit) const {
  const std::string attempt = fmt::format("cannot make the worktree {}", path.string());
  static_cast<void>(id_of(commit, attempt));
  const fs::path administration = opened_->common_folder / "worktrees" / name;
  make_folders(path);
  std::error_code gone;
  if (!fs::is_directory(fs::symlink_status(administration, gone)))
    fs::remove_all(administration, gone);
  make_folders(administration);
  write_file_atomically(administration / "HEAD", commit + "\n");
  write_file_atomically(administration / "commondir", "../..\n");
  write_file_atomically(administration / "gitdir", (path / ".git").string() + "\n");
  write_file_atomically(path / ".git", "gitdir: " + administration.string() + "\n");
}

bool Repository::is_linked_worktree(const fs::path& path, const std::string& name) const {
  const fs::path administration = opened_->common_folder / "worktrees" / name;
  std::error_code missing;
  const auto holds = [&](const fs::path& folder, const char* file, const std::string& text) {
    if (!fs::is_regular_file(fs::symlink_status(folder / file, missing))) return false;
    return read_file_below(folder, file, "a file of a worktree").value_or("") == text;
  };
  return fs::is_directory(fs::symlink_status(administration, missing)) &&
         holds(path, ".git", "gitdir: " + administration.string() + "\n") &&
         holds(administration, "commondir", "../..\n") &&
         holds(administration, "gitdir", (path / ".git").string() + "\n");
}

void Repository::unlink_worktree(const fs::path& path, const std::string& name) const {
  std::error_code gone;
  fs::remove_all(path, gone);
  fs::remove_all(opened_->common_folder / "worktrees" / name, gone);
  // Git removes the folder with the last of them, too.
  fs::remove(opened_->common_folder / "worktrees", gone);
}

void Repository::set_worktree(const std::string& commit) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot set {} to {}", root().string(), commit);
  const git_oid id = id_of(commit, attempt);
  static_cast<void>(remove_stale_locks({"HEAD"}));
  check(git_repository_set_head_detached(opened_->git(), &id), attempt,
        "git_repository_set_head_detached");
  git_checkout_options options{};
  check(git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION), attempt,
        "git_checkout_options_init");
  options.checkout_strategy = GIT_CHECKOUT_FORCE | GIT_CHECKOUT_REMOVE_UNTRACKED;
  check(git_checkout_head(opened_->git(), &options), attempt, "git_checkout_head");
}

}  // namespace autokernel::repo
