// Which case is meant where the command line names none, and whether a folder is one.
#pragma once

#include <filesystem>

namespace autokernel::cli {

// `here` if it holds a case.toml, else its folder kernels/, else the case that is installed with
// the program. Throws Error(usage) where none is a case.
[[nodiscard]] std::filesystem::path default_case(const std::filesystem::path& here);

// The default case that lies beside the running program, in ../share/autokernel/kernels; it need
// not exist.
[[nodiscard]] std::filesystem::path installed_case();

// `directory` itself, which the user named. Throws Error(usage) saying what is missing.
[[nodiscard]] std::filesystem::path existing_case(const std::filesystem::path& directory);

}  // namespace autokernel::cli
