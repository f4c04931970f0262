// Finding a repository and opening it.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/open_repository.h"
#include "repo/refusals.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

[[nodiscard]] fs::path folder_of(const fs::path& inside) {
  std::error_code failure;
  fs::path resolved = fs::canonical(inside, failure);
  if (failure) {
    throw Error(Stop::repository, fmt::format("cannot look for a git repository around {}: {}",
                                              inside.string(), failure.message()));
  }
  return fs::is_directory(resolved) ? resolved : resolved.parent_path();
}

// The .git that git would use from there.
[[nodiscard]] fs::path discover(const fs::path& folder) {
  git_buf git_folder = GIT_BUF_INIT;
  // 0: as git itself, which does not look beyond the file system that it was called in.
  const int status = git_repository_discover(&git_folder, folder.c_str(), 0, nullptr);
  const Owned<git_buf*> owned = own(&git_folder);
  if (status < 0) throw discovery_failure(status, folder);
  return std::string(git_folder.ptr, git_folder.size);
}

}  // namespace

Owned<int> start_library() {
  const int users = git_libgit2_init();
  if (users < 0) {
    throw git_failure(users, "cannot start libgit2", "git_libgit2_init", Stop::environment);
  }
  Owned<int> library(users, [](int) { git_libgit2_shutdown(); });
  limit_memory();
  check(git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1), "cannot have git's files synced",
        "git_libgit2_opts");
  return library;
}

Repository Repository::open(const fs::path& inside) {
  const NonblockingOpen nonblocking;
  auto opened = std::make_unique<Opened>();
  opened->library = start_library();
  const fs::path folder = folder_of(inside);
  const fs::path git_folder = discover(folder);
  refuse_endless_settings(git_folder, common_folder_of(git_folder));
  refuse_unknown_formats(git_folder);
  git_repository* repository = nullptr;
  const int status = git_repository_open_ext(&repository, folder.c_str(), 0, nullptr);
  opened->handle = own(repository);
  if (status < 0) throw opening_failure(status, folder);
  opened->git_folder = git_repository_path(repository);
  opened->common_folder = git_repository_commondir(repository);
  refuse_bare(*opened);
  opened->root = fs::canonical(git_repository_workdir(repository));
  refuse_files_elsewhere(*opened, folder);
  refuse_unreadable_index(*opened);
  Repository result(std::move(opened));
  // For the log of references, which libgit2 would else sign as unknown.
  const Identity signer = result.identity();
  check(git_repository_set_ident(repository, signer.name.c_str(), signer.email.c_str()),
        "cannot sign the log of references", "git_repository_set_ident");
  return result;
}

Repository::Repository(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository& Repository::operator=(Repository&&) noexcept = default;
Repository::~Repository() = default;

fs::path Repository::root() const { return opened_->root; }
void Repository::require_readable() const {
  refuse_endless_settings(opened_->git_folder, opened_->common_folder);
}

fs::path Repository::git_folder() const { return opened_->git_folder; }

}  // namespace autokernel::repo
