#include "cli/option_values.h"

#include <regex>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

// Long enough for every phase of any case, short enough that a deadline in clock ticks does not
// overflow.
constexpr double kLongestTimeout = 86400;

}  // namespace

void require_architecture(const std::string& text) {
  static const std::regex kForm("sm_[0-9]{2,3}[af]?");
  if (text.empty() || std::regex_match(text, kForm)) return;
  throw Error(Stop::usage, "unknown architecture: '" + text + "'; --arch takes sm_80, sm_90a, ...");
}

double min_gain_of(double percent) {
  if (percent > 0 && percent < 100) return percent / 100;
  throw Error(Stop::usage, "--min-gain takes percent of the time, above 0 and below 100");
}

trial::Limits limits_with(std::optional<double> timeout_seconds, const trial::Limits& usual) {
  if (!timeout_seconds) return usual;
  if (!(*timeout_seconds > 0 && *timeout_seconds <= kLongestTimeout)) {
    throw Error(Stop::usage, "--timeout takes seconds, above 0 and at most 86400");
  }
  trial::Limits limits = usual;
  limits.compile_seconds = limits.check_seconds = limits.time_seconds = *timeout_seconds;
  return limits;
}

}  // namespace autokernel::cli
