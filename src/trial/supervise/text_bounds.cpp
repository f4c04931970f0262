#include "trial/supervise/text_bounds.h"

#include <fmt/format.h>

#include <utility>

#include "autokernel/base/bounded_text.h"

namespace autokernel::trial {

std::string bounded(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  BoundedText kept(limit);
  kept.add(text);
  return kept.text();
}

void bound_warnings(std::vector<std::string>& warnings) {
  if (warnings.size() > kMostWarnings) {
    const std::size_t left_out = warnings.size() - kMostWarnings;
    warnings.resize(kMostWarnings);
    warnings.push_back(fmt::format("{} more warnings are left out", left_out));
  }
  for (std::string& warning : warnings) warning = bounded(std::move(warning), kLongestWarning);
}

}  // namespace autokernel::trial
