// Text in single quotes, as all shells here read it.
#pragma once

#include <string>

namespace autokernel::cli::completion {

// 'it'\''s': a single quote cannot stand between single quotes.
[[nodiscard]] inline std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
    } else {
      result += character == '\n' ? ' ' : character;
    }
  }
  return result + "'";
}

}  // namespace autokernel::cli::completion
