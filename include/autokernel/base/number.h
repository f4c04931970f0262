// Numbers in text, as std::from_chars reads them.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace autokernel {

// Whether the whole text is such a number; `value` is then that, and else anything.
template <typename Number>
[[nodiscard]] bool read_number(std::string_view text, Number& value, auto... base) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, value, base...);
  return error == std::errc{} && stopped == end;
}

}  // namespace autokernel
