#include "serve/http_reply.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace autokernel::serve {
namespace {

// "%20" and, in queries, "+" (RFC 3986). None where a percent sign stands alone.
[[nodiscard]] std::optional<std::string> decoded(std::string_view text, bool is_query) {
  constexpr std::size_t kEscape = 3;
  constexpr int kHexadecimal = 16;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && is_query) {
      plain += ' ';
    } else if (text[i] == '%') {
      unsigned value = 0;
      const char* begin = text.data() + i + 1;
      if (i + kEscape > text.size()) return std::nullopt;
      const auto [end, failed] = std::from_chars(begin, begin + 2, value, kHexadecimal);
      if (failed != std::errc{} || end != begin + 2) return std::nullopt;
      plain += static_cast<char>(value);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

bool read_target(const std::string& target, HttpRequest& request) {
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto path = decoded(std::string_view(target).substr(0, mark), false);
  if (!path || !path->starts_with('/')) return false;
  request.path = *path;
  for (std::size_t begin = mark + 1; begin < target.size();) {
    const std::size_t end = std::min(target.find('&', begin), target.size());
    const std::string_view pair = std::string_view(target).substr(begin, end - begin);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, equals), true);
    const auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return false;
    request.query[*name] = *value;
    begin = end + 1;
  }
  return true;
}

}  // namespace autokernel::serve
