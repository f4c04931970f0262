// Where the head stands, and pointing it to another branch.
#include <fmt/format.h>

#include <string_view>

#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {
namespace {

constexpr std::string_view kBranches = "refs/heads/";

// The branch a head that is not detached points to.
[[nodiscard]] std::string branch_of(git_repository* git, const std::string& attempt) {
  git_reference* head = nullptr;
  check(git_reference_lookup(&head, git, "HEAD"), attempt, "git_reference_lookup");
  const Owned<git_reference*> owned = own(head);
  const char* target = git_reference_symbolic_target(head);  // null for a detached head
  const std::string_view name = target == nullptr ? "" : target;
  return name.starts_with(kBranches) ? std::string(name.substr(kBranches.size())) : "";
}

}  // namespace

Head Repository::head() const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read the head of {}", root().string());
  Head head;
  refuse_endless_reference(*opened_, "HEAD");
  head.branch = branch_of(opened_->git(), attempt);
  refuse_endless_reference(*opened_, std::string(kBranches) + head.branch);
  git_oid id{};
  if (found(git_reference_name_to_id(&id, opened_->git(), "HEAD"), attempt,
            "git_reference_name_to_id")) {
    head.commit = text_of(id);
  }
  return head;
}

std::string Repository::operation_under_way() const {
  const NonblockingOpen nonblocking;
  switch (git_repository_state(opened_->git())) {
    case GIT_REPOSITORY_STATE_MERGE:
      return "merge";
    case GIT_REPOSITORY_STATE_REVERT:
    case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
      return "revert";
    case GIT_REPOSITORY_STATE_CHERRYPICK:
    case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
      return "cherry-pick";
    case GIT_REPOSITORY_STATE_BISECT:
      return "bisect";
    case GIT_REPOSITORY_STATE_REBASE:
    case GIT_REPOSITORY_STATE_REBASE_INTERACTIVE:
    case GIT_REPOSITORY_STATE_REBASE_MERGE:
    case GIT_REPOSITORY_STATE_APPLY_MAILBOX_OR_REBASE:
      return "rebase";
    case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
      return "am";
    default:
      return "";
  }
}

void Repository::forget_operation() const {
  const NonblockingOpen nonblocking;
  check(git_repository_state_cleanup(opened_->git()),
        fmt::format("cannot give up the {} in {}", operation_under_way(), root().string()),
        "git_repository_state_cleanup");
}

void Repository::switch_head(const std::string& branch) const {
  const std::string attempt =
      fmt::format("cannot switch {} to the branch {}", root().string(), branch);
  const std::string name = std::string(kBranches) + branch;
  const auto stands_at = reference(name);
  const std::string here = head().commit;
  if (stands_at && *stands_at != here) {
    throw Error(Stop::repository, fmt::format("{}: it is at {} and HEAD at {}", attempt, *stands_at,
                                              here.empty() ? "no commit" : here));
  }
  force_head(branch);
}

void Repository::force_head(const std::string& branch) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot switch {} to the branch {}", root().string(), branch);
  const std::string name = std::string(kBranches) + branch;
  if (!reference(name)) throw Error(Stop::repository, attempt + ": there is no such branch");
  check(git_repository_set_head(opened_->git(), name.c_str()), attempt, "git_repository_set_head");
}

}  // namespace autokernel::repo
