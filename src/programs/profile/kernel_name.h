// Names of kernels as people read them.
#pragma once

#include <string>
#include <string_view>

#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// As in the source, with namespaces, template arguments and parameters; a name that is not mangled
// stays as it is.
[[nodiscard]] std::string demangled(const std::string& name);

// Of a demangled name, what tells kernels apart: no namespaces, no parameters, no result, template
// arguments one level deep. A lambda is called like the function that it is written in:
// "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, array>".
[[nodiscard]] std::string short_name(std::string_view demangled);

// `name` as the driver has it.
[[nodiscard]] Origin origin_of(std::string_view name, std::string_view demangled);

}  // namespace autokernel::programs
