// The files of a worktree as git sees them: their bytes on the way into git's store and back, with
// the line endings that git's settings ask for. No file outside the worktree is ever reached, not
// even where somebody has replaced a folder by a link.
#pragma once

#include <git2.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "repo/open_repository.h"

namespace autokernel::repo {

// What lies at a path of the worktree; none where there is nothing, or nothing but by way of a
// link.
[[nodiscard]] std::optional<struct stat> status_of(const OpenRepository& open,
                                                   const std::string& path);

// The id git gives to a file's bytes; Keep::yes puts them into git's store as well. None where
// there is no regular file and no link of that path.
enum class Keep : std::uint8_t { no, yes };
[[nodiscard]] std::optional<git_oid> blob_of(const OpenRepository& open, const std::string& path,
                                             Keep keep);

// Replaces a file, or makes it with its folders, from the bytes stored under that id. An existing
// file keeps its mode. Throws Error(repository) for a path that leads through a link.
void write_file(const OpenRepository& open, const git_oid& blob, const std::string& path);
// The same for a symbolic link.
void write_link(const OpenRepository& open, const git_oid& blob, const std::string& path);
// Makes a file executable for those who may read it, or for nobody, as `mode` says, where git is
// told to mind.
void take_executable_bit(const OpenRepository& open, const std::string& path, git_filemode_t mode);

// Whether git is told to mind that a file is executable (core.fileMode); it is not on file systems
// that cannot say.
[[nodiscard]] bool minds_file_modes(const OpenRepository& open);

}  // namespace autokernel::repo
