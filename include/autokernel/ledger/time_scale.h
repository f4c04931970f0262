// The times of a run on one scale. Two medians of different steps are of different processes, and
// of a machine in different states, so what stands between them is no gain; a gain is of pairs of
// launches. So the scale begins with the median of the baseline, and every other time is that of
// the experiment it was held against, less the gain.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// What a figure of the incumbent's is after a gain of that experiment's: as much less time, or less
// of a metric; where more of it is better, more.
[[nodiscard]] double after_gain(const Experiment& experiment, double figure, double gain);

class TimeScale {
 public:
  // To be called for each experiment of a run, in order: its time on the scale, microseconds, or
  // what the run is measured by. None where it was not compared.
  std::optional<double> add(const Experiment& experiment);
  // Of the experiment that it was held against; none where that has none.
  [[nodiscard]] std::optional<double> incumbent_us(const Experiment& experiment) const;

 private:
  std::map<std::string, double> by_commit_;
};

}  // namespace autokernel::ledger
