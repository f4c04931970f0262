// What --against names.
#pragma once

#include <filesystem>
#include <string>

namespace autokernel::cli {

// The source of the kernel that `against` names: a file, or else a git revision of `kernel_file`.
// Throws Error(usage) where it is neither, saying what was tried.
[[nodiscard]] std::string incumbent_source(const std::string& against,
                                           const std::filesystem::path& kernel_file);

}  // namespace autokernel::cli
