// From the name a launch was declared with to the name of a kernel in the module.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace autokernel::compile {

// `name` itself where a kernel is called so: extern "C", or written as the compiler lowered it.
// Else the one kernel whose C++ name it is ("matmul" for _Z6matmulPf, "ns::f", "f<3>"); none where
// there is no such kernel or several.
[[nodiscard]] std::optional<std::string> resolve_kernel(const std::string& name,
                                                        const std::vector<std::string>& kernels);

// The C++ name without parameters and return type: "f<3>" for _Z1fILi3EEvPf. The name itself where
// it is not mangled.
[[nodiscard]] std::string readable_name(const std::string& mangled);

}  // namespace autokernel::compile
