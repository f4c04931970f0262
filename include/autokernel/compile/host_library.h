// A host program that is built on the machine where it runs, by that machine's own compilers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace autokernel::compile {

struct HostProgram {
  std::string file;  // "baseline_cub.cu" is for nvcc, any other ending for the C++ compiler
  std::string text;
  std::map<std::string, std::int64_t> sizes;  // "ROWS" -> 8192, constants as a kernel sees them
  std::map<std::string, std::string> types;   // "T" -> "__nv_bfloat16"
  std::string architecture;                   // "sm_90", of its kernels
};

// Builds a shared library in `folder`, which must be empty, and gives its path. It finds the
// headers of autokernel's that are for such programs, and the headers and libraries of CUDA and
// cuDNN where those of NVRTC are looked for (compiler.h), in NVIDIA's wheels as well. `meanwhile`
// is called often. Throws Error(environment) where there is no such compiler, where it takes more
// than five minutes, or with the beginning of what it says.
[[nodiscard]] std::filesystem::path build_host_library(const HostProgram& program,
                                                       const std::filesystem::path& folder,
                                                       const std::function<void()>& meanwhile);

}  // namespace autokernel::compile
