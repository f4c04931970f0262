#include "autokernel/trial/number_in_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "autokernel/base/error.h"

namespace autokernel::trial {

std::regex number_pattern(const std::string& name, const std::string& pattern) {
  std::regex compiled;
  try {
    compiled.assign(pattern, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw Error(Stop::usage,
                fmt::format("{} '{}' is no regular expression: {}", name, pattern, error.what()));
  }
  if (compiled.mark_count() != 1) {
    throw Error(Stop::usage, fmt::format("{} '{}' must have one group around the number, as in "
                                         "'([0-9.]+) tokens per second'",
                                         name, pattern));
  }
  return compiled;
}

namespace {

// The number in the last match in a line.
[[nodiscard]] std::optional<double> last_in_line(const std::regex& pattern,
                                                 const std::string& line) {
  std::optional<double> value;
  for (std::sregex_iterator match(line.begin(), line.end(), pattern), none; match != none;
       ++match) {
    const std::string digits = (*match)[1].str();
    char* rest = nullptr;
    const double number = std::strtod(digits.c_str(), &rest);
    if (rest != digits.c_str() && std::isfinite(number)) value = number;
  }
  return value;
}

}  // namespace

std::optional<double> last_number(const std::regex& pattern, std::string_view text) {
  // Line by line, and not too long a line: of a long text the library runs out of stack, and its
  // time grows with the square of the length, or more, for texts made to that end.
  constexpr std::size_t kLongestLine = 1024;
  text = text.substr(text.size() - std::min(text.size(), kSearchedForNumber));
  while (!text.empty()) {
    const std::size_t newline = text.substr(0, text.size() - 1).rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    std::string_view line = text.substr(begin, kLongestLine);
    line = line.substr(0, line.find('\n'));
    if (const auto value = last_in_line(pattern, std::string(line))) return value;
    text = text.substr(0, begin);
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
