// Programs by name, as a shell finds them.
#pragma once

#include <filesystem>
#include <string>

namespace autokernel {

// The first folder of the PATH that holds an executable file of that name gives its path; empty
// where none does.
[[nodiscard]] std::filesystem::path find_on_path(const std::string& program);

}  // namespace autokernel
