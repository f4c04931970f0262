// A host program that is built on the machine where it runs, by that machine's own compilers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autokernel/compile/front_end.h"

namespace autokernel::compile {

struct HostProgram {
  std::string file;  // "baseline_cub.cu" is for nvcc, any other ending for the C++ compiler
  std::string text;
  std::map<std::string, std::int64_t> sizes;  // "ROWS" -> 8192, constants as a kernel sees them
  std::map<std::string, std::string> types;   // "T" -> "__nv_bfloat16"
  std::string architecture;                   // "sm_90", of its kernels
  std::vector<std::filesystem::path> headers = {};  // folders of more
};

// Builds a shared library in `folder`, which must be empty, and gives its path; or takes what was
// built of the same before, where the compiler and all headers are as they were. It finds the
// headers of autokernel's that are for such programs, and the headers and libraries of CUDA and
// cuDNN where those of NVRTC are looked for (compiler.h), in NVIDIA's wheels as well. `meanwhile`
// is called often. Throws Error(environment) where there is no such compiler, where it takes more
// than five minutes, or with the beginning of what it says.
[[nodiscard]] std::filesystem::path build_host_library(const HostProgram& program,
                                                       const std::filesystem::path& folder,
                                                       Caching caching,
                                                       const std::function<void()>& meanwhile);

// What one of the compilers may need: nvcc 13.0 takes 3.5 GiB for a GEMM of CUTLASS for sm_90.
inline constexpr std::uint64_t kCompilerBytes = 4ULL << 30U;
// How many of them run at a time: as many as the machine has processors and memory for.
[[nodiscard]] std::size_t compilers_at_a_time();

struct BuiltLibrary {
  std::filesystem::path library;  // empty: it could not be built
  std::string why;                // then: what build_host_library() would have thrown
};
// The same of several, compilers_at_a_time(), in the order of the programs.
[[nodiscard]] std::vector<BuiltLibrary> build_host_libraries(
    const std::vector<HostProgram>& programs, const std::filesystem::path& folder, Caching caching,
    const std::function<void()>& meanwhile);

}  // namespace autokernel::compile
