// What is printed of a series of times.
#pragma once

#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

// Median, 95th percentile (between samples, linearly) and robust spread. `samples_us` holds at
// least one.
[[nodiscard]] Times summarise(std::vector<double> samples_us);
// Of at least one value.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace autokernel::trial
