// Text in a cell of a table of Markdown, which shows it as it is.
#pragma once

#include <string>
#include <string_view>

namespace autokernel::programs {

// On one line, without what steers a terminal.
[[nodiscard]] std::string markdown_cell(std::string_view text);

}  // namespace autokernel::programs
