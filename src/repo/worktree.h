// The files of a worktree as git sees them: their bytes on the way into git's store and back, with
// the line endings that git's settings ask for. No file outside the worktree is ever reached, not
// even where somebody has replaced a folder by a link.
#pragma once

#include <git2.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "repo/open_repository.h"

namespace autokernel::repo {

// What lies at a path of the worktree; none where there is nothing, or nothing but by way of a
// link.
[[nodiscard]] std::optional<struct stat> status_of(const OpenRepository& open,
                                                   const std::string& path);

// A file of so many bytes is not read: that would take half a second and more, each time.
[[nodiscard]] bool is_too_large(const struct stat& status);
// What stands for the id of a file that is not read: made of its place, size and times, so that it
// is another one once somebody has written to the file. No blob has it.
[[nodiscard]] git_oid stand_in_for(const struct stat& status);

// The id git gives to a file's bytes; Keep::yes puts them into git's store as well. None where
// there is no regular file and no link of that path. A file that is too large gets its stand-in, or
// is refused with Error(repository) where it was to be kept.
enum class Keep : std::uint8_t { no, yes };
[[nodiscard]] std::optional<git_oid> blob_of(const OpenRepository& open, const std::string& path,
                                             Keep keep);
// The id git would give to a file of that path with these bytes.
[[nodiscard]] git_oid blob_of_text(const OpenRepository& open, const std::string& path,
                                   std::string_view bytes, Keep keep);

// The bytes that git writes to the worktree for a blob at that path.
[[nodiscard]] std::string as_written(const OpenRepository& open, git_blob* blob,
                                     const std::string& path, const std::string& attempt);
// Replaces a file, or makes it with its folders, from the bytes stored under that id. An existing
// file keeps its mode. Throws Error(repository) for a path that leads through a link.
void write_file(const OpenRepository& open, const git_oid& blob, const std::string& path);
// The same for a symbolic link.
void write_link(const OpenRepository& open, const git_oid& blob, const std::string& path);
// Removes a file or a link, and the folders that it leaves empty; what is not there, but by way of
// a link, is no error.
void remove_file(const OpenRepository& open, const std::string& path);
// Makes a file executable for those who may read it, or for nobody, as `mode` says, where git is
// told to mind.
void take_executable_bit(const OpenRepository& open, const std::string& path, git_filemode_t mode);

// Whether git is told to mind that a file is executable (core.fileMode); it is not on file systems
// that cannot say.
[[nodiscard]] bool minds_file_modes(const OpenRepository& open);

}  // namespace autokernel::repo
