// What stands in the cells of tables.
#pragma once

#include <optional>
#include <string>

namespace autokernel::cli {

// A number, or a dash where there is none.
[[nodiscard]] std::string cell(const std::optional<double>& value, int decimals);

// Of a text, what is before its first line end, fit for a terminal.
[[nodiscard]] std::string first_visible_line(const std::string& text);

}  // namespace autokernel::cli
