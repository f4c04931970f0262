#include "cli/exit_codes.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "autokernel/trial/verdicts.h"
#include "cli/help_format.h"

namespace autokernel::cli {
namespace {

struct Reason {
  Stop stop;
  const char* meaning;
};
constexpr std::array kReasons = {
    Reason{Stop::usage, "usage"},           Reason{Stop::environment, "environment"},
    Reason{Stop::repository, "repository"}, Reason{Stop::scope, "something else was changed"},
    Reason{Stop::budget, "budget reached"}, Reason{Stop::internal, "internal"}};

}  // namespace

std::string exit_codes_text(const std::set<Stop>& left_out) {
  std::map<int, std::string> meanings;
  for (const trial::Finding& finding : trial::all_findings()) {
    std::string& text = meanings[finding.exit_code];
    text += (text.empty() ? "" : " or ") + std::string(finding.in_help);
  }
  for (const auto& [stop, meaning] : kReasons) {
    if (!left_out.contains(stop)) meanings[static_cast<int>(stop)] = meaning;
  }
  std::string text;
  for (const auto& [code, meaning] : meanings) {
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : ", ", code, meaning);
  }
  return wrapped(text + '.', kHelpWidth);
}

}  // namespace autokernel::cli
