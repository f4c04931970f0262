// Text as one word of a command line that is printed for people to copy.
#pragma once

#include <string>

namespace autokernel::cli {

// As it is where a shell takes it so, else between quotation marks.
[[nodiscard]] std::string shell_word(const std::string& text);

}  // namespace autokernel::cli
