// The pictures of a sweep: what is drawn, and into which file.
#pragma once

#include <string>
#include <vector>

#include "autokernel/plot/sweep.h"
#include "cli/sweep.h"

namespace autokernel::cli {

// What there is to draw of the rows.
[[nodiscard]] plot::Sweep drawn_sweep(const cases::Case& problem,
                                      const std::vector<SweepRow>& rows);

// Draws what the plan asks for, and returns the exit code: that of an environment that lacks
// something where a picture could not be made, which `err` is told, else 0.
[[nodiscard]] int draw_pictures(const cases::Case& problem, const SweepPlan& plan,
                                const std::vector<SweepRow>& rows, std::ostream& err);

}  // namespace autokernel::cli
