// What a run is measured by, in words: the time of a kernel, or the metric that a [command] case
// has in place of one. One wording for commits, commands and messages.
#pragma once

#include <optional>
#include <string>

#include "autokernel/ledger/entry.h"

namespace autokernel::ledger {

// "8285 points"; without a unit "60".
[[nodiscard]] std::string metric_text(double value, const std::string& unit);
// "60.000 us"; of a metric, whose own value does not matter here, "score 8285 points".
[[nodiscard]] std::string figure_text(double value, const std::optional<MetricValue>& metric);

// How the value of a metric changes by a gain (Gain::estimate), relative: 3.15 for 4.15 times as
// much, -0.4 for 40 % less.
[[nodiscard]] double change_by(double gain, bool higher_is_better);
// "+315.29 %".
[[nodiscard]] std::string change_text(double change);
// "14.29 % less time than before"; of a metric "+315.29 %".
[[nodiscard]] std::string gain_text(double gain, const std::optional<MetricValue>& metric);

// "1.667 times as fast as the baseline", `ratio` being how many times as good it is; of a metric
// its value over the baseline's, "4.153 times the baseline".
[[nodiscard]] std::string over_baseline_text(double ratio,
                                             const std::optional<MetricValue>& metric);

}  // namespace autokernel::ledger
