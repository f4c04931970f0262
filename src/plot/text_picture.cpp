#include "plot/text_picture.h"

#include <algorithm>
#include <sstream>

namespace autokernel::plot {
namespace {

// Two panels of fewer have no room for their marks.
constexpr int kFewestLines = 18;

// As many columns as a terminal shows: bytes but for those that go on with a character.
[[nodiscard]] std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

[[nodiscard]] std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const std::size_t width = columns_of(word);
    if (used > 0 && used + 1 + width > columns) {
      lines += '\n';
      used = 0;
    }
    lines += (used > 0 ? " " : "") + word;
    used += width + (used > 0 ? 1 : 0);
  }
  return lines + '\n';
}

}  // namespace

std::string words_above(const History& history, const Story& story, int columns) {
  const auto room = static_cast<std::size_t>(std::max(columns, 1));
  return wrapped(title(history), room) + wrapped(headline(history, story), room) +
         wrapped("O kept, o discarded, x failed, * best so far", room);
}

int lines_below(const std::string& words, int lines) {
  return std::max(lines - static_cast<int>(std::ranges::count(words, '\n')), kFewestLines);
}

std::string without_margins(const std::string& picture) {
  std::string text;
  std::size_t end = 0;  // of the last line that is not blank
  std::istringstream lines(picture);
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, '\f');
    line.erase(line.find_last_not_of(" \r") + 1);
    if (line.empty() && text.empty()) continue;
    text += line + '\n';
    if (!line.empty()) end = text.size();
  }
  return text.substr(0, end);
}

}  // namespace autokernel::plot
