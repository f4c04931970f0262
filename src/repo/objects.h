// Commits, their trees and the files in them, by the ids that the rest of the program knows: 40
// hexadecimal digits.
#pragma once

#include <git2.h>

#include <optional>
#include <string>

#include "repo/handles.h"

namespace autokernel::repo {

[[nodiscard]] std::string text_of(const git_oid& id);
// Throws Error(repository) for what is not an id; `attempt` is what it was wanted for.
[[nodiscard]] git_oid id_of(const std::string& text, const std::string& attempt);

// What it throws where there is no such commit names the attempt.
[[nodiscard]] Owned<git_commit*> commit_of(git_repository* git, const std::string& id,
                                           const std::string& attempt);
[[nodiscard]] Owned<git_tree*> tree_of(git_commit* commit, const std::string& attempt);

// A file of a commit: a regular one or a symbolic link.
struct FileEntry {
  git_oid id;
  git_filemode_t mode;
};
// None where the commit has no file of that path.
[[nodiscard]] std::optional<FileEntry> file_in(git_tree* tree, const std::string& path,
                                               const std::string& attempt);
[[nodiscard]] std::optional<FileEntry> file_in_commit(git_repository* git,
                                                      const std::string& commit,
                                                      const std::string& path,
                                                      const std::string& attempt);

}  // namespace autokernel::repo
