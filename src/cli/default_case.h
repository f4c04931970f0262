// Which case is meant where the command line names none, and whether a folder is one.
#pragma once

#include <filesystem>

namespace autokernel::cli {

// `here` if it holds a case.toml, else its folder kernels/. Throws Error(usage) where neither is a
// case.
[[nodiscard]] std::filesystem::path default_case(const std::filesystem::path& here);

// `directory` itself, which the user named. Throws Error(usage) saying what is missing.
[[nodiscard]] std::filesystem::path existing_case(const std::filesystem::path& directory);

}  // namespace autokernel::cli
