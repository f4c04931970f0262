// Whether one kernel is faster than another, from pairs of their launches: when to stop sampling,
// and what to conclude. docs/decision.md states the rule with its error rates, and how they were
// simulated.
#pragma once

#include <cstdint>
#include <span>

namespace autokernel::trial {

// Of the natural logarithms of incumbent time over candidate time, one for each pair: above 0 the
// candidate is faster.
struct PairedEstimate {
  int pairs = 0;
  double mean = 0;            // without the outermost tenth at each end
  double standard_error = 0;  // of the mean; allows for pairs that follow each other being alike
  // How many values that is the standard error of: the pairs that count, or batches of pairs. The
  // fewer, the less certain it is itself.
  int values = 0;
};
// Of at least two pairs, in the order measured.
[[nodiscard]] PairedEstimate estimate(std::span<const double> log_ratios);

// 0.10 for a kernel that takes a tenth less time, and back.
[[nodiscard]] double gain_of(double log_ratio);
[[nodiscard]] double log_ratio_of(double gain);

enum class Conclusion : std::uint8_t { undecided, faster, not_faster };

// What the pairs so far say, with min_gain relative (0.005). undecided: sample more, and where that
// is not possible, the comparison is inconclusive.
[[nodiscard]] Conclusion conclude(const PairedEstimate& estimate, double min_gain);

// Whether the mean is known well enough to be one part of a score, whatever it is: as well as one
// below the minimum gain must be to be believed, or to a twenty-fifth of itself where it is large.
[[nodiscard]] bool is_precise_part(const PairedEstimate& estimate, double min_gain);

// The least mean that chance alone would not explain with such a standard error.
[[nodiscard]] double least_mean_above_chance(const PairedEstimate& estimate);

// Whether the candidate is surely not slower by min_gain: enough where it is simpler.
[[nodiscard]] bool is_as_fast(const PairedEstimate& estimate, double min_gain);

// Below this the standard error itself is too uncertain to conclude anything: where time allows no
// more pairs than that, the comparison is inconclusive.
inline constexpr int kFewestPairs = 10;

// After how many pairs to look first, how many to have at most, and when to look after a look at
// `pairs`: looking after each would find by chance what is not there.
inline constexpr int kFirstLook = 50;
inline constexpr int kMostPairs = 2000;
[[nodiscard]] int next_look(int pairs);

// The 95 % interval of the mean, and the one-sided probability of such a mean where there is no
// gain.
struct Interval {
  double low = 0;
  double high = 0;
};
[[nodiscard]] Interval interval(const PairedEstimate& estimate);
[[nodiscard]] double p_value(const PairedEstimate& estimate);

}  // namespace autokernel::trial
