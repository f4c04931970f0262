// Repositories that git can use and libgit2 cannot, or must not: each is refused by name, with the
// command that helps.
#pragma once

#include <filesystem>

#include "autokernel/base/error.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

// Where the settings are: a linked worktree's folder names the one it shares with the others.
[[nodiscard]] std::filesystem::path common_folder_of(const std::filesystem::path& git_folder);

// Throws Error(repository) for a repository whose objects or references are kept in a form that
// libgit2 does not know, or that asks for another extension of git's format. Looks at its settings,
// before it is opened: libgit2 would only call the extension unknown.
void refuse_unknown_formats(const std::filesystem::path& git_folder);

// Why no repository was found from that folder, as an Error to throw.
[[nodiscard]] Error discovery_failure(int status, const std::filesystem::path& folder);
// Why the one that was found could not be opened.
[[nodiscard]] Error opening_failure(int status, const std::filesystem::path& folder);

// Throws Error(repository) for one without files.
void refuse_bare(const OpenRepository& open);

// Throws Error(repository) where the files of the repository around `folder` are said to lie in
// another folder than the one with the .git in it (core.worktree, or a .git that leads to that of
// another worktree): every command would move and write files there.
void refuse_files_elsewhere(const OpenRepository& open, const std::filesystem::path& folder);

// Reads the index, which is when libgit2 finds out that it is split or sparse. Throws
// Error(repository).
void refuse_unreadable_index(const OpenRepository& open);

}  // namespace autokernel::repo
