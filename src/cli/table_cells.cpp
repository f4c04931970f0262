#include "cli/table_cells.h"

#include <fmt/format.h>

#include "autokernel/base/visible_text.h"

namespace autokernel::cli {

std::string cell(const std::optional<double>& value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::string first_visible_line(const std::string& text) {
  return visible_line(text.substr(0, text.find('\n')));
}

}  // namespace autokernel::cli
