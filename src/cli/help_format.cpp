#include "cli/help_format.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

namespace autokernel::cli {

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) lines += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 : 0;
    lines += word;
  }
  return lines;
}

namespace {

class HelpFormat : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(Formatter::make_option_desc(option), kHelpWidth - get_column_width());
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<HelpFormat>(); }

}  // namespace autokernel::cli
