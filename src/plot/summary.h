// What a history says: the best so far after each experiment, and the words above and below a plot.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/plot/history.h"

namespace autokernel::plot {

struct Story {
  std::optional<std::size_t> baseline;  // index of the first that was kept with a time
  std::optional<std::size_t> best;      // the last one kept: what was faster once is not the best
  // For each experiment the index of the best after it; none before the baseline.
  std::vector<std::optional<std::size_t>> best_after;
  std::size_t kept = 0;  // the baseline included
  std::size_t discarded = 0;
  std::size_t failed = 0;
};
[[nodiscard]] Story story_of(const History& history);

// Microseconds, of an experiment that has a time.
[[nodiscard]] double time_of(const History& history, std::size_t experiment);
// Where it is drawn; none where it was not timed. One that was rejected lies at its incumbent at
// most: whatever was faster in its pairs, that was not borne out.
[[nodiscard]] std::optional<double> drawn_us(const History& history, const Story& story,
                                             std::size_t experiment);

// "MatMul 1024 x 1024 on NVIDIA H200", or what of it is known.
[[nodiscard]] std::string title(const History& history);
// "438.5 us to 79.6 us, 5.51 times as fast", or what was confirmed.
[[nodiscard]] std::string headline(const History& history, const Story& story);
// "baseline and 33 experiments: 8 kept, 20 discarded, 5 failed".
[[nodiscard]] std::string footer(const History& history, const Story& story);

// A time with the digits that mean something: "438.5 us", "12.34 ms"; or what stands in its place.
[[nodiscard]] std::string time_text(double microseconds);
[[nodiscard]] std::string figure_text(const History& history, double time_us);

}  // namespace autokernel::plot
