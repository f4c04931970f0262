// A profile for other programs and for the eye: a trace, and a page.
#pragma once

#include <string>

#include "autokernel/programs/ranking.h"

namespace autokernel::programs {

// Trace events as chrome://tracing, Perfetto and PyTorch's tools read them: one row for each stream
// of each device and for each thread that marked ranges. Times are microseconds since the first
// event.
[[nodiscard]] std::string chrome_trace(const Profile& profile);

// A page that needs nothing else: the totals, a bar of shares, a timeline of the beginning of the
// profile, and the table of kernels.
[[nodiscard]] std::string profile_page(const Ranking& ranking, const Profile& profile);

}  // namespace autokernel::programs
