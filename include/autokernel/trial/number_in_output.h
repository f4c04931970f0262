// A number that a program prints: by a regular expression with one group around it.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace autokernel::trial {

// Throws Error(usage), beginning with `name` ("--metric"), where the pattern is no regular
// expression (ECMAScript) or has not one group.
[[nodiscard]] std::regex number_pattern(const std::string& name, const std::string& pattern);

// Bytes at the end of a text that are looked through.
inline constexpr std::size_t kSearchedForNumber = 256UL << 10U;

// Of the last match in a line whose number is finite; none where there is none. Of longer lines the
// first 1024 characters are looked at.
[[nodiscard]] std::optional<double> last_number(const std::regex& pattern, std::string_view text);

}  // namespace autokernel::trial
