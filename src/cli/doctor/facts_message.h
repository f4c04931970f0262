// How answers travel from a probe to doctor: one line of JSON each.
#pragma once

#include <string>

#include "cli/doctor/facts.h"

namespace autokernel::cli::doctor {

// For every type that Facts asks for.
template <typename Answer>
[[nodiscard]] std::string encode(const Asked<Answer>& asked);

// A line that makes no sense becomes trouble: the probe was disturbed, and that is worth knowing.
template <typename Answer>
[[nodiscard]] Asked<Answer> decode(const std::string& line);

}  // namespace autokernel::cli::doctor
