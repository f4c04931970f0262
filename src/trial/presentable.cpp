#include "trial/presentable.h"

#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::trial {
namespace {

// One to three lines, the longest of which are a compiler's on a template with all its arguments.
constexpr std::size_t kLongestReason = 4000;
// One line each. ptxas warns once for each function and cause.
constexpr std::size_t kLongestWarning = 1000;
constexpr std::size_t kMostWarnings = 20;
// Names of devices, versions, cases and launches.
constexpr std::size_t kLongestName = 300;
// Half of what a log file may have: a compiler's log of a thousand errors.
constexpr std::size_t kLongestDetail = std::size_t{1} << 20;

[[nodiscard]] std::string bounded(const std::string& text, std::size_t limit) {
  BoundedText kept(limit);
  kept.add(text);
  return kept.text();
}

void present_text(std::string& text, std::size_t limit) {
  text = visible_text(bounded(text, limit));
}
void present_line(std::string& text, std::size_t limit) {
  text = visible_line(bounded(text, limit));
}

void present_warnings(std::vector<std::string>& warnings) {
  if (warnings.size() > kMostWarnings) {
    const std::size_t left_out = warnings.size() - kMostWarnings;
    warnings.resize(kMostWarnings);
    warnings.push_back(fmt::format("{} more warnings are left out", left_out));
  }
  for (std::string& warning : warnings) present_line(warning, kLongestWarning);
}

}  // namespace

void make_presentable(Result& result) {
  present_text(result.reason, kLongestReason);
  present_text(result.detail, kLongestDetail);
  present_warnings(result.warnings);
  present_line(result.label, kLongestName);
  present_line(result.problem, kLongestName);
  if (result.device) present_line(result.device->name, kLongestName);
  if (result.comparison) {
    present_line(result.comparison->against, kLongestName);
    present_text(result.comparison->reason, kLongestReason);
    present_line(result.comparison->disturbance, kLongestReason);
  }
  if (result.conditions) {
    present_line(result.conditions->unclean, kLongestWarning);
    if (auto& governor = result.conditions->governor) present_line(*governor, kLongestName);
  }
  for (auto& [name, version] : result.versions) present_line(version, kLongestName);
  for (LaunchKey& key : result.keys) present_line(key.launch, kLongestName);
}

std::string presentable_reason(const std::string& text) {
  return visible_text(bounded(text, kLongestReason));
}

}  // namespace autokernel::trial
