#include "cli/exit_codes.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "autokernel/trial/verdicts.h"

namespace autokernel::cli {
namespace {

// Help has no longer lines.
constexpr std::size_t kWidth = 99;

constexpr std::array kStops = {Stop::usage, Stop::environment, Stop::repository,
                               Stop::scope, Stop::budget,      Stop::internal};

[[nodiscard]] const char* meaning(Stop stop) {
  switch (stop) {
    case Stop::usage:
      return "usage";
    case Stop::environment:
      return "environment";
    case Stop::repository:
      return "repository";
    case Stop::scope:
      return "something else was changed";
    case Stop::budget:
      return "budget reached";
    case Stop::internal:
      return "internal";
  }
  return "";
}

// Breaks between words. No word is longer than a line.
[[nodiscard]] std::string wrapped(const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  while (text.size() - begin > kWidth) {
    const std::size_t blank = text.rfind(' ', begin + kWidth);
    lines += text.substr(begin, blank - begin) + '\n';
    begin = blank + 1;
  }
  return lines + text.substr(begin);
}

}  // namespace

std::string exit_codes_text(std::span<const Stop> stops) {
  std::map<int, std::string> meanings;
  for (const trial::Finding& finding : trial::all_findings()) {
    std::string& text = meanings[finding.exit_code];
    text += (text.empty() ? "" : " or ") + std::string(finding.in_help);
  }
  for (const Stop stop : stops) meanings[static_cast<int>(stop)] = meaning(stop);
  std::string text;
  for (const auto& [code, words] : meanings) {
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : ", ", code, words);
  }
  return wrapped(text + '.');
}

std::string exit_codes_text() { return exit_codes_text(kStops); }

}  // namespace autokernel::cli
