#include "cli/shell_word.h"

#include <algorithm>
#include <string_view>

#include "cli/completion/quoting.h"

namespace autokernel::cli {

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "_-./+:,=@%";
  const bool is_plain =
      !text.empty() && text.front() != '-' && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kPlain.find(c) != std::string_view::npos;
      });
  return is_plain ? text : completion::quoted(text);
}

}  // namespace autokernel::cli
