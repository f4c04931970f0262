// The headers of ours that kernels include and that are served to the compiler from memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace autokernel::compile {

inline constexpr const char* kServedHeaderName = "autokernel.cuh";
inline constexpr const char* kSizesHeaderName = "autokernel_sizes.cuh";
inline constexpr const char* kCudaHeaderName = "cuda.h";

// The text of include/autokernel.cuh.
[[nodiscard]] const char* served_header();

// Those for host programs (host_library.h): text by name.
[[nodiscard]] const std::map<std::string, std::string>& host_headers();

// The sizes of the case as C++ constants: `int` where the value fits, else `long long`, as a
// literal would have; and its types, by the names that C++ has for them.
[[nodiscard]] std::string sizes_header(const std::map<std::string, std::int64_t>& sizes,
                                       const std::map<std::string, std::string>& types = {});

}  // namespace autokernel::compile
