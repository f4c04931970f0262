// The libraries that come with this program, by name.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace autokernel {

// Where one may lie, best first: as installed or built (../lib beside the running binary), beside
// it, else wherever the loader looks, which is the bare name.
[[nodiscard]] std::array<std::filesystem::path, 3> own_library_places(const std::string& name);

// The first of them that is there; empty where none is.
[[nodiscard]] std::filesystem::path own_library(const std::string& name);

}  // namespace autokernel
