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

std::optional<double> last_number(const std::regex& pattern, std::string_view text) {
  // Line by line: of a long text as a whole, the library runs out of stack.
  constexpr std::size_t kLongestLine = 4096;
  std::optional<double> value;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line(text.substr(begin, std::min(end - begin, kLongestLine)));
    begin = end + 1;
    for (std::sregex_iterator match(line.begin(), line.end(), pattern), none; match != none;
         ++match) {
      const std::string digits = (*match)[1].str();
      char* rest = nullptr;
      const double number = std::strtod(digits.c_str(), &rest);
      if (rest != digits.c_str() && std::isfinite(number)) value = number;
    }
  }
  return value;
}

}  // namespace autokernel::trial
