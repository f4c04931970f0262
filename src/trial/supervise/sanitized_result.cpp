#include "trial/supervise/sanitized_result.h"

#include "autokernel/base/visible_text.h"
#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {
namespace {

void present_text(std::string& text, std::size_t limit) {
  text = visible_text(bounded(text, limit));
}
void present_line(std::string& text, std::size_t limit) {
  text = visible_line(bounded(text, limit));
}

void present_warnings(std::vector<std::string>& warnings) {
  bound_warnings(warnings);
  for (std::string& warning : warnings) present_line(warning, kLongestWarning);
}

}  // namespace

void sanitize(Result& result) {
  present_text(result.reason, kLongestReason);
  present_text(result.detail, kLongestDetail);
  present_warnings(result.warnings);
  present_line(result.label, kLongestName);
  present_line(result.problem, kLongestName);
  if (result.device) present_line(result.device->name, kLongestName);
  if (result.comparison) {
    present_line(result.comparison->incumbent_name, kLongestName);
    present_text(result.comparison->reason, kLongestReason);
    present_line(result.comparison->disturbance, kLongestReason);
  }
  if (result.conditions) {
    present_line(result.conditions->unclean, kLongestWarning);
    if (auto& governor = result.conditions->governor) present_line(*governor, kLongestName);
  }
  for (auto& [name, version] : result.versions) present_line(version, kLongestName);
  for (StageReport& report : result.stages) present_line(report.reason, kLongestReason);
  for (Span& span : result.timings) present_line(span.what, kLongestName);
  for (LaunchKey& key : result.keys) present_line(key.launch, kLongestName);
}

std::string sanitized_reason(const std::string& text) {
  return visible_text(bounded(text, kLongestReason));
}

}  // namespace autokernel::trial
