#include "cli/key_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

constexpr std::size_t kValueColumn = 18;

}  // namespace

void KeyLines::add(std::string_view key, std::string_view text) {
  std::string start = fmt::format("{:<{}}", fmt::format("{}: ", key), kValueColumn);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    text_ += start + visible_line(text.substr(begin, end - begin)) + '\n';
    start.assign(kValueColumn, ' ');
    begin = end + 1;
  }
}

void KeyLines::add(std::string_view key, double value, int decimals) {
  add(key, fmt::format("{:.{}f}", value, decimals));
}

void KeyLines::add(std::string_view key, const std::optional<double>& value, int decimals) {
  if (value) add(key, *value, decimals);
}

void KeyLines::add_count(std::string_view key, std::uint64_t value) {
  add(key, fmt::format("{}", value));
}

void KeyLines::add_unless_empty(std::string_view key, std::string_view text) {
  if (!text.empty()) add(key, text.substr(0, text.find_last_not_of('\n') + 1));
}

}  // namespace autokernel::cli
