#include "loop/agent_cleanup.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"
#include "loop/git_rules.h"
#include "loop/results_file.h"
#include "loop/run_reference.h"
#include "loop/scope.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// Moves a file or a folder; where it cannot be renamed, by way of a copy.
void move(const fs::path& from, const fs::path& to) {
  make_folders(to.parent_path());
  std::error_code failed;
  fs::rename(from, to, failed);
  if (!failed) return;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
  if (!failed) fs::remove_all(from, failed);
  if (failed) {
    throw system_failure(Stop::environment,
                         fmt::format("cannot move {} to {}", from.string(), to.string()), "copy",
                         failed.value());
  }
}

// An agent's own commits are no experiments; they stay where git finds them.
[[nodiscard]] std::string take_back_branch(const repo::Repository& repository,
                                           const Status& status) {
  // A merge or rebase that it left in the middle would stop every step from here on.
  if (!repository.operation_under_way().empty()) repository.forget_operation();
  const repo::Head head = repository.head();
  const std::string branch = "refs/heads/" + status.run.branch;
  const auto stands_at = repository.reference(branch);
  if (head.branch == status.run.branch && head.commit == status.best.commit) return {};
  const std::string stray =
      stands_at && *stands_at != status.best.commit ? *stands_at : head.commit;
  set_run_reference(repository, stray_reference(status.run.tag, stray), stray);
  set_run_reference(repository, branch, status.best.commit);
  repository.force_head(status.run.branch);
  return stray;
}

// What an agent that was ended in the middle of git's work has left, as nothing of its runs any
// more.
void remove_locks(const repo::Repository& repository, const Status& status) {
  static_cast<void>(repository.remove_stale_locks({"HEAD", "refs/heads/" + status.run.branch}));
}

void put_back(const repo::Repository& repository, const Status& status, const Strayed& one) {
  if (one.path.ends_with('/')) return;  // git knows of no such folder
  const bool is_committed = repository.blob_at(status.best.commit, one.path).has_value();
  // A file that the user had deleted before the run is to be missing.
  const bool was_deleted = one.was_unsaved && one.blob.empty();
  if (is_committed && !was_deleted) {
    repository.check_out(status.best.commit, one.path);
  } else {
    repository.match_index(status.best.commit, one.path);  // the agent may have staged it
  }
  if (!one.blob.empty()) repository.put_back(one.blob, one.path);
}

// What has changed. A folder that nobody can look through goes aside first.
[[nodiscard]] std::vector<repo::Change> changes_in(const repo::Repository& repository,
                                                   const Folders& folders, Cleanup& cleanup) {
  for (;;) {
    try {
      return repository.changes(Folders::are_own);
    } catch (const repo::TooDeep& deep) {
      const std::string name = deep.folder().substr(0, deep.folder().size() - 1);
      const fs::path to = folders.new_aside("turn") / name;
      move(folders.root() / name, to);
      cleanup.files.push_back(to.lexically_relative(folders.root()).string());
    }
  }
}

}  // namespace

std::string stray_reference(const std::string& tag, const std::string& commit) {
  constexpr std::size_t kDigits = 12;
  return fmt::format("refs/autokernel-strays/{}/{}", tag, commit.substr(0, kDigits));
}

Cleanup clean_up(const repo::Repository& repository, const Folders& folders, const Status& status,
                 const std::optional<SavedIndex>& index) {
  Cleanup cleanup;
  repository.require_readable();
  remove_locks(repository, status);
  cleanup.commit = take_back_branch(repository, status);
  // Before the look: what the agent has staged or taken out alone is no change of a file.
  if (index) {
    restore_index(repository, *index);
    cleanup.lost = lost_of_index(repository);
  }
  for (const std::string& rule : put_rules_back(repository, status.run)) {
    cleanup.files.push_back(rule + " (put back)");
  }
  const std::vector<Strayed> strayed =
      strayed_files(repository, status.run, changes_in(repository, folders, cleanup));
  const bool is_forged = !results_fault(folders, status, [&] {
                            return ledger::Ledger::open(folders.own()).rows();
                          }).empty();
  if (strayed.empty() && !is_forged) {
    require_results(folders, status);
    return cleanup;
  }
  const fs::path aside = folders.new_aside("turn");
  std::error_code unreadable;
  if (is_forged) {
    const fs::path to = aside / folders.results().filename();
    move(folders.results(), to);
    cleanup.files.push_back(to.lexically_relative(folders.root()).string());
  }
  require_results(folders, status);
  for (const Strayed& one : strayed) {
    // Nothing could be put in its place.
    if (!one.blob.empty() && !repository.has_blob(one.blob)) continue;
    const fs::path file = folders.root() / one.path;
    const fs::path to = aside / one.path;
    if (fs::exists(fs::symlink_status(file, unreadable))) {
      move(one.path.ends_with('/') ? file.parent_path() : file,
           one.path.ends_with('/') ? to.parent_path() : to);
      cleanup.files.push_back(to.lexically_relative(folders.root()).string());
    } else {
      cleanup.files.push_back(one.path + " (deleted)");
    }
    put_back(repository, status, one);
    // Git's store has no modes: what could be run before can be.
    const fs::file_status was = fs::symlink_status(to, unreadable);
    if (fs::is_regular_file(was) && fs::is_regular_file(fs::symlink_status(file, unreadable))) {
      fs::permissions(file, was.permissions(), unreadable);
    }
  }
  // What was put back has gone into the index, whatever the user had staged of it.
  if (index) restore_index(repository, *index);
  return cleanup;
}

}  // namespace autokernel::loop
