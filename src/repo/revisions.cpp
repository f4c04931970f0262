// Looking at commits that are there: by name, by descent, by file.
#include <fmt/format.h>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

std::string Repository::resolve(const std::string& revision) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find a commit by the name '{}'", revision);
  git_object* named = nullptr;
  const int parsed = git_revparse_single(&named, opened_->git(), revision.c_str());
  const Owned<git_object*> owned_name = own(named);
  if (parsed < 0) throw git_failure(parsed, attempt, "git_revparse_single", Stop::usage);
  git_object* commit = nullptr;
  const int peeled = git_object_peel(&commit, named, GIT_OBJECT_COMMIT);
  const Owned<git_object*> owned_commit = own(commit);
  if (peeled < 0) throw git_failure(peeled, attempt, "git_object_peel", Stop::usage);
  return text_of(*git_object_id(commit));
}

std::optional<std::string> Repository::parent_of(const std::string& commit) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find the parent of commit {}", commit);
  const Owned<git_commit*> child = commit_of(opened_->git(), commit, attempt);
  if (git_commit_parentcount(child.get()) == 0) return std::nullopt;
  return text_of(*git_commit_parent_id(child.get(), 0));
}

std::optional<std::string> Repository::file_at(const std::string& commit,
                                               const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read {} in commit {}", path, commit);
  const auto entry = file_in_commit(opened_->git(), commit, path, attempt);
  if (!entry) return std::nullopt;
  git_blob* blob = nullptr;
  check(git_blob_lookup(&blob, opened_->git(), &entry->id), attempt, "git_blob_lookup");
  const Owned<git_blob*> owned = own(blob);
  const auto size = static_cast<std::size_t>(git_blob_rawsize(blob));
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob)), size);
}

std::optional<std::string> Repository::blob_at(const std::string& commit,
                                               const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find {} in commit {}", path, commit);
  const auto entry = file_in_commit(opened_->git(), commit, path, attempt);
  if (!entry) return std::nullopt;
  return text_of(entry->id);
}

}  // namespace autokernel::repo
