// One file merged by itself, without a commit or a worktree.
#include <git2.h>

#include "autokernel/base/owned.h"
#include "repo/git_failure.h"
#include "repo/open_repository.h"

namespace autokernel::repo {
namespace {

[[nodiscard]] git_merge_file_input input_of(const std::string& bytes) {
  git_merge_file_input input{};
  check(git_merge_file_input_init(&input, GIT_MERGE_FILE_INPUT_VERSION),
        "cannot merge two versions of a file", "git_merge_file_input_init");
  input.ptr = bytes.data();
  input.size = bytes.size();
  input.path = "file";
  return input;
}

}  // namespace

std::optional<Repository::Merged> Repository::merge(const std::optional<std::string>& ancestor,
                                                    const std::optional<std::string>& ours,
                                                    const std::optional<std::string>& theirs) {
  if (ours == ancestor) return Merged{theirs};
  if (theirs == ancestor || ours == theirs) return Merged{ours};
  if (!ancestor || !ours || !theirs) return std::nullopt;
  const git_merge_file_input first = input_of(*ancestor);
  const git_merge_file_input second = input_of(*ours);
  const git_merge_file_input third = input_of(*theirs);
  git_merge_file_result result{};
  check(git_merge_file(&result, &first, &second, &third, nullptr),
        "cannot merge two versions of a file", "git_merge_file");
  std::optional<Merged> merged;
  if (result.automergeable != 0) merged = Merged{std::string(result.ptr, result.len)};
  git_merge_file_result_free(&result);
  return merged;
}

}  // namespace autokernel::repo
