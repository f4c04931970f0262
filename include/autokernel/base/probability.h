// Distributions that decisions are made with, and what follows from one at once. Boost.Math behind
// them is seen by one file alone: it takes a compiler seconds.
#pragma once

#include <optional>
#include <span>

namespace autokernel {

// P(T > t) of Student's t distribution; both numbers of degrees of freedom are above 0.
[[nodiscard]] double student_t_upper_tail(double degrees_of_freedom, double t);
// The t with P(T > t) = `upper_tail`, which is in (0, 1).
[[nodiscard]] double student_t_quantile(double degrees_of_freedom, double upper_tail);
// Half the width of Student's 95 % interval around the mean of values that are drawn independently:
// t(0.975, n - 1) s / sqrt(n). None for fewer than two.
[[nodiscard]] std::optional<double> student_half_width(std::span<const double> values);
// P(X > successes) of `trials` trials that succeed as often as they fail.
[[nodiscard]] double fair_binomial_upper_tail(double trials, double successes);
// P(X >= events) of a Poisson distribution with this mean; `events` and `mean` are above 0.
[[nodiscard]] double poisson_upper_tail(double events, double mean);
// The x with P(X < x) = `share` of the standard normal distribution; `share` is in (0, 1).
[[nodiscard]] double normal_quantile(double share);

}  // namespace autokernel
