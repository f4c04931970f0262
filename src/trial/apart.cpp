#include "trial/apart.h"

#include <algorithm>
#include <cmath>

#include "trial/decision.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] double log_mean(const std::vector<double>& times_us) {
  double sum = 0;
  for (const double time : times_us) sum += std::log(time);
  return sum / static_cast<double>(times_us.size());
}

struct Spread {
  double mean = 0;
  double width = 0;  // between the fastest process and the slowest
};

[[nodiscard]] Spread spread_of(const std::vector<std::vector<double>>& processes) {
  Spread spread;
  double least = log_mean(processes.front());
  double most = least;
  for (const auto& times_us : processes) {
    const double mean = log_mean(times_us);
    spread.mean += mean / static_cast<double>(processes.size());
    least = std::min(least, mean);
    most = std::max(most, mean);
  }
  spread.width = most - least;
  return spread;
}

}  // namespace

Apart compare_apart(const std::vector<std::vector<double>>& candidate,
                    const std::vector<std::vector<double>>& opponent, double offset_us) {
  const Spread ours = spread_of(candidate);
  const Spread theirs = spread_of(opponent);
  const double shorter_us = std::exp(std::min(ours.mean, theirs.mean));
  return {gain_of(theirs.mean - ours.mean),
          std::max({ours.width, theirs.width, offset_us / shorter_us})};
}

bool bears_out(const Apart& apart, double gain, double min_gain, bool disturbed) {
  if (disturbed) return apart.gain - apart.uncertainty >= min_gain;
  return apart.gain + 2 * apart.uncertainty >= gain / 2;
}

}  // namespace autokernel::trial
