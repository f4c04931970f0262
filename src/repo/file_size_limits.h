// Files that libgit2 reads whole, however large they are: a file with a hole in it costs nothing on
// the disk, and may have any size. Each is looked at before libgit2 opens it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "repo/open_repository.h"

namespace autokernel::repo {

// Bytes. Of a million files an index has a hundred megabytes.
inline constexpr std::uint64_t kLargestIndex = 1ULL << 30U;

// Throws Error(repository), naming the file, its size and the remedy, where one of the small files
// of a git folder is larger than any is: settings, attributes, the head, packed references, the
// index.
void refuse_endless_settings(const std::filesystem::path& git_folder,
                             const std::filesystem::path& common_folder);
// The same for the file of a reference ("refs/heads/main", "HEAD").
void refuse_endless_reference(const OpenRepository& open, const std::string& name);
// The same for the .gitignore and the .gitattributes of each folder that the index knows, and for
// the files of the worktree that libgit2 would take for unchanged and read.
void refuse_endless_worktree(const OpenRepository& open);

// Has libgit2 refuse to take more memory at once than any file of git's needs that we use: what
// lies where none of these looks is not read either.
void limit_memory();

}  // namespace autokernel::repo
