// What may be read as JSON at all, when it comes from somebody who is not trusted.
#pragma once

#include <string_view>

namespace autokernel::trial {

// Why that text must not be parsed (document::excess_of); null where it may.
[[nodiscard]] const char* excess_of(std::string_view json);

}  // namespace autokernel::trial
