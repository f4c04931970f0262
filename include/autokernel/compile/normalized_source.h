// What is left of a source without what the compiler does not read: to find out whether it has been
// tried before, and which of two is the simpler.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace autokernel::compile {

// The text without comments, without blanks that separate nothing, and with every other run of
// blanks as one. Literals stay as they are; so does the end of a line where a directive ends there.
// Two sources with the same normalized compile to the same code, __LINE__ aside.
[[nodiscard]] std::string normalized(std::string_view source);

// Words, numbers, literals and signs in it: how much there is to read.
[[nodiscard]] std::size_t count_tokens(std::string_view source);

}  // namespace autokernel::compile
