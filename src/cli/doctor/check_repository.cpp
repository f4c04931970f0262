// The git repository around the current folder, as far as its files tell.
#include <fmt/format.h>

#include "cli/doctor/checks.h"

namespace autokernel::cli::doctor {

// bench needs no repository: it only keeps its logs in one.
Lines check_repository(const Facts& facts) {
  if (!facts.host.answer) return {};
  const Repository& repository = facts.host.answer->repository;
  if (repository.root.empty() && !repository.git_folder.empty()) {
    return {{"git", Standing::missing,
             repository.git_folder + " is a bare repository, without files to work on",
             fmt::format("git clone {} FOLDER  (and work there)", repository.git_folder)}};
  }
  if (repository.root.empty()) {
    return {
        {"git", Standing::missing, "the current folder is not in a git repository", "git init"}};
  }
  if (repository.locked) {
    return {{"git", Standing::wrong, repository.root + ": another git is running, or was killed",
             fmt::format("rm {}/index.lock  (once no git is running)", repository.git_folder)}};
  }
  if (!repository.under_way.empty()) {
    return {{"git", Standing::wrong,
             fmt::format("{}: a {} is in progress", repository.root, repository.under_way),
             repository.under_way == "bisect"
                 ? "git bisect reset"
                 : fmt::format("git {} --abort", repository.under_way)}};
  }
  if (repository.branch.empty()) {
    return {{"git", Standing::wrong, repository.root + ": no branch is checked out",
             "git switch -c NAME"}};
  }
  return {{"git", Standing::ok, fmt::format("{}, branch {}", repository.root, repository.branch)}};
}

}  // namespace autokernel::cli::doctor
