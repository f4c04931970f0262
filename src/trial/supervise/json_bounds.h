// What may be read as JSON at all, when it comes from somebody who is not trusted.
#pragma once

#include <string_view>

namespace autokernel::trial {

// Why that text must not be parsed, in words that complete "it"; null where it may. One that is
// nested without end would overflow the stack of whoever copies or writes it, and one of nothing
// but commas becomes some fifty times as large in memory. Whether it is JSON is not looked at.
[[nodiscard]] const char* excess_of(std::string_view json);

}  // namespace autokernel::trial
