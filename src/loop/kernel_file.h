// The one file that is edited, as it lies in the worktree: whether it can be a kernel at all.
#pragma once

#include <filesystem>
#include <string>

namespace autokernel::loop {

// What is wrong with it, in words that go behind its name ("is not a regular file"); empty:
// nothing. It is not read for that.
[[nodiscard]] std::string kernel_file_fault(const std::filesystem::path& file);

}  // namespace autokernel::loop
