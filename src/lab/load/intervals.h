// Estimates of means and quantiles with 95 % intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autokernel/lab/load_figures.h"

namespace autokernel::lab {

// Of values that are independent of each other: one from each request.
//
// The mean has Student's interval, mean +- t(0.975, n - 1) s / sqrt(n). A quantile has the interval
// between two order statistics, whose ranks come from the binomial distribution: whatever the
// distribution of the values, P(X(l) <= quantile < X(u)) = P(l <= B < u), B ~ Binomial(n, p) (David
// and Nagaraja: Order Statistics, 3rd edition, section 7.1). Each tail has at most 2.5 %; an end is
// missing where not even the smallest or the largest value reaches that.
[[nodiscard]] LatencyFigures figures_of_independent(std::vector<double> values);

// Of values that come in groups, alike within each: the gaps of a request. The intervals are
// percentiles of figures over resampled groups (cluster bootstrap; Davison and Hinkley: Bootstrap
// Methods and their Application, section 3.8; Efron and Tibshirani: An Introduction to the
// Bootstrap, section 13.3). No interval for fewer than two groups.
[[nodiscard]] LatencyFigures figures_of_groups(std::span<const std::span<const float>> groups,
                                               std::uint64_t seed);

// The mean of values of which each stands for a part of a run, such as rates of its tenths (batch
// means; Law: Simulation Modeling and Analysis, 5th edition, section 9.5.3), with `value` as the
// estimate and Student's interval around it. No interval for fewer than two values.
[[nodiscard]] Estimate estimate_of_batches(double value, std::span<const double> batches);

// The value of rank ceil(share n) of sorted values, of which there is at least one.
[[nodiscard]] double quantile_of_sorted(std::span<const double> sorted, double share);

// The ranks, from 1, of the order statistics around the quantile `share` of n values; 0 and n + 1
// where there is no such value.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
};
[[nodiscard]] RankInterval quantile_ranks(std::size_t count, double share);

}  // namespace autokernel::lab
