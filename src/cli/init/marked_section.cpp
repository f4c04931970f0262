#include "cli/init/marked_section.h"

#include <fmt/format.h>

#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

constexpr std::string_view kBegin = "<!-- autokernel: begin; written by autokernel init -->";
constexpr std::string_view kEnd = "<!-- autokernel: end -->";

[[nodiscard]] std::size_t count_of(std::string_view mark, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + mark.size())) {
    ++count;
  }
  return count;
}

[[nodiscard]] std::string ended(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

std::string with_marked_section(const std::string& text, const std::string& section,
                                const std::string& file) {
  const std::string marked = fmt::format("{}\n{}{}", kBegin, ended(section), kEnd);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (begin == std::string::npos && end == std::string::npos) {
    const std::string before = ended(text);
    return before + (before.empty() ? "" : "\n") + marked + "\n";
  }
  if (begin == std::string::npos || end == std::string::npos || end < begin ||
      count_of(kBegin, text) > 1 || count_of(kEnd, text) > 1) {
    throw Error(Stop::usage, fmt::format("cannot write the section of autokernel in {}: its lines "
                                         "\"{}\" and \"{}\" are not there once each, in this "
                                         "order; remove them",
                                         file, kBegin, kEnd));
  }
  std::string result = text;
  return result.replace(begin, end + kEnd.size() - begin, marked);
}

std::string with_line(const std::string& text, const std::string& line) {
  return ended(text) + line + "\n";
}

}  // namespace autokernel::cli
