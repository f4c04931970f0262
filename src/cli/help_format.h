// How --help is laid out: descriptions of options are broken into lines that fit a terminal.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}  // namespace CLI

namespace autokernel::cli {

// No line has 100 characters, as long as no word of a description is longer than its column.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_format();

}  // namespace autokernel::cli
