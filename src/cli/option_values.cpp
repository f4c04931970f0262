#include "cli/option_values.h"

#include <regex>

#include "autokernel/base/error.h"

namespace autokernel::cli {

void require_architecture(const std::string& text) {
  static const std::regex kForm("sm_[0-9]{2,3}[af]?");
  if (text.empty() || std::regex_match(text, kForm)) return;
  throw Error(Stop::usage, "no such architecture: '" + text + "'; --arch takes sm_80, sm_90a, ...");
}

double least_gain(double percent) {
  if (percent > 0 && percent < 100) return percent / 100;
  throw Error(Stop::usage, "--min-gain takes percent of the time, more than 0 and less than 100");
}

}  // namespace autokernel::cli
