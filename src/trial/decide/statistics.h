// What is printed of a series of times.
#pragma once

#include <optional>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Median, 95th percentile (between samples, linearly) and robust spread. `samples_us` holds at
// least one.
[[nodiscard]] Times summarise(std::vector<double> samples_us);
// Of at least one value.
[[nodiscard]] double median(std::vector<double> values);

// The smallest difference above zero between any two of all these times: what the clock can tell
// apart. None where all are the same.
[[nodiscard]] std::optional<double> smallest_step(std::vector<double> some,
                                                  const std::vector<double>& others);

}  // namespace autokernel::trial
