// The one file that is edited: whether it can be a kernel at all as it lies in the worktree, and
// what it holds in a commit.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/repo/repository.h"

namespace autokernel::loop {

// What is wrong with it, in words that go behind its name ("is not a regular file"); empty:
// nothing. It is not read for that.
[[nodiscard]] std::string kernel_file_fault(const std::filesystem::path& file);

// The source of a commit's editable file. Throws Error(repository) where it has none.
[[nodiscard]] std::string source_at(const repo::Repository& repository, const std::string& commit,
                                    const std::string& editable);

}  // namespace autokernel::loop
