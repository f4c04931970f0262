// How --help is laid out: descriptions of options are broken into lines that fit a terminal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace autokernel::cli {

// The longest line of a help text, in characters.
inline constexpr std::size_t kHelpWidth = 99;

// Broken between words into lines of at most `width` characters; a longer word has its own line.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t width);

// No line is wider than kHelpWidth, as long as no word of a description is longer than its column.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace autokernel::cli
