#include "trial/decide/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace autokernel::trial {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Makes the median absolute deviation of normal values equal to their standard deviation.
constexpr double kDeviationPerMad = 1.4826;

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

std::optional<double> smallest_step(std::vector<double> some, const std::vector<double>& others) {
  // Event times come as floats of milliseconds: what is nearer than this is the same.
  constexpr double kNoStep = 1e-3;
  some.insert(some.end(), others.begin(), others.end());
  std::ranges::sort(some);
  std::optional<double> smallest;
  for (std::size_t i = 1; i < some.size(); ++i) {
    const double step = some[i] - some[i - 1];
    if (step > kNoStep) smallest = std::min(step, smallest.value_or(step));
  }
  return smallest;
}

Times summarise(std::vector<double> samples_us) {
  Times times;
  std::vector<double> sorted = samples_us;
  std::ranges::sort(sorted);
  times.median_us = quantile(sorted, 0.5);
  times.p95_us = quantile(sorted, 0.95);
  std::vector<double> deviations;
  deviations.reserve(sorted.size());
  for (const double sample : sorted) deviations.push_back(std::fabs(sample - times.median_us));
  constexpr double kPercent = 100;
  if (times.median_us > 0)
    times.noise_pct = kDeviationPerMad * median(deviations) / times.median_us * kPercent;
  times.samples_us = std::move(samples_us);
  return times;
}

}  // namespace autokernel::trial
