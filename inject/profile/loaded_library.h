// Libraries that the process has loaded already.
#pragma once

#include <string_view>

namespace recording {

// The handle of one whose file name begins with `name` ("libcublas.so"); null where there is none.
// It need not be given back.
[[nodiscard]] void* loaded_library(std::string_view name);

}  // namespace recording
