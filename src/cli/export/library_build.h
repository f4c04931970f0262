// Builds what an export needs a C compiler for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::cli {

// How a library of an export is built; paths are from its folder.
struct LibraryBuild {
  std::string library;               // "libmatmul.so"
  std::vector<std::string> sources;  // "matmul.c"
  bool is_tvm_ffi = false;           // with the headers and the library of apache-tvm-ffi
};

// What it takes to build: `compiler` is a path; the folders are those of apache-tvm-ffi.
struct BuildTools {
  std::filesystem::path compiler;
  std::vector<std::string> flags;
};
// Throws Error(environment) saying what is missing, and that --no-build does without.
[[nodiscard]] BuildTools tools_for(const LibraryBuild& build);

// Throws Error(environment) with what the compiler said.
void build_library(const std::filesystem::path& folder, const LibraryBuild& build,
                   const BuildTools& tools);

}  // namespace autokernel::cli
