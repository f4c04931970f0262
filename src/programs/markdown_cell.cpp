#include "programs/markdown_cell.h"

#include "autokernel/base/visible_text.h"

namespace autokernel::programs {

std::string markdown_cell(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_[]<>|&";
  std::string escaped;
  for (const char letter : visible_line(text)) {
    if (kMarks.find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

}  // namespace autokernel::programs
