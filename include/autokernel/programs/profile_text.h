// A profile as text for a terminal.
#pragma once

#include <string>

#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// What was profiled, how busy the devices were, whose kernels took the time, and the `most` longest
// kernels as a table no wider than `columns` (0: as wide as it is). Ends with a newline.
[[nodiscard]] std::string profile_text(const Ranking& ranking, int most, int columns);

// "4096x1024x1024 bf16 NT", "aten::mul [4096, 1024]"; empty where nothing is known.
[[nodiscard]] std::string operation_text(const Operation& operation);
// "132" or "128x2x1", as few numbers as say it.
[[nodiscard]] std::string extent_text(const Extent& extent);
// "12.3 us", "4.56 ms", "7.89 s".
[[nodiscard]] std::string duration_text(double microseconds);
// "12 B", "3.46 kB", "7.89 GB".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace autokernel::programs
