// What to do about an error where the compiler's words do not say it, because they are about C++
// and not about how this program compiles a kernel.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace autokernel::compile {

// One sentence on the compiler's `message` about line `number` of `source` (from 1; 0: of none);
// empty where its words suffice.
[[nodiscard]] std::string hint(std::string_view message, std::string_view source,
                               std::size_t number);

// The same about a header of CUDA's, "<cuda.h>", that can be found but does not compile.
[[nodiscard]] std::string hint_on_cuda_header(std::string_view header);

// The same for an error in a header of [compile] include.
[[nodiscard]] std::string hint_on_library(std::string_view message);

}  // namespace autokernel::compile
