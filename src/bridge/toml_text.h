// Numbers as TOML has them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace autokernel::bridge {

// With a point, as TOML tells a floating number from a whole one.
[[nodiscard]] inline std::string floating_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

}  // namespace autokernel::bridge
