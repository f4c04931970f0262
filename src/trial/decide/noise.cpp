#include "autokernel/trial/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <random>
#include <span>
#include <utility>

#include "autokernel/trial/decision.h"
#include "trial/decide/simulated_pairs.h"
#include "trial/decide/statistics.h"

namespace autokernel::trial {
namespace {

using Random = std::mt19937_64;

// As long as somebody waits for an answer, as an experiment of a night may take, and as long as is
// worth waiting for.
constexpr std::array<double, 3> kReachSeconds = {1, 5, 30};
// Enough that the 95th percentile of them is certain to a few percent of itself.
constexpr int kStretches = 1000;
constexpr double kPower = 0.95;
// The standard normal distribution's quantile of that.
constexpr double kPowerQuantile = 1.645;
// As many as the bar for kernels that are the same is counted in (docs/measurement.md).
constexpr int kDecisions = 3000;
// The median of so many parts says how fast the kernel was in each, where each has pairs enough.
constexpr std::size_t kParts = 10;
constexpr std::size_t kFewestOfAPart = 5;

// The standard deviation of a normal distribution over its median absolute deviation.
constexpr double kDeviations = 1.4826;

[[nodiscard]] double robust_deviation(std::span<const double> values) {
  const double middle = median({values.begin(), values.end()});
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - middle));
  return kDeviations * median(std::move(distances));
}

[[nodiscard]] double drift_of(std::span<const double> times_us) {
  const std::size_t parts = std::min(kParts, times_us.size() / kFewestOfAPart);
  if (parts < 2) return 0;
  std::vector<double> medians;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = i * times_us.size() / parts;
    const std::size_t end = (i + 1) * times_us.size() / parts;
    const auto part = times_us.subspan(begin, end - begin);
    medians.push_back(median({part.begin(), part.end()}));
  }
  const auto [fastest, slowest] = std::ranges::minmax(medians);
  return slowest / fastest - 1;
}

// The least logarithm of a ratio that comparisons of so many pairs find 95 times in 100. One of
// them whose noise has the mean m finds a gain g if m + g is more than chance explains.
[[nodiscard]] double least_found(std::span<const double> log_ratios, int pairs, Random& random) {
  ResampledPairs noise(log_ratios, random);
  std::vector<double> needed;
  needed.reserve(kStretches);
  for (int i = 0; i < kStretches; ++i) {
    const PairedEstimate found = estimate(noise.stretch(pairs));
    needed.push_back(least_mean_above_chance(found) - found.mean);
  }
  std::ranges::sort(needed);
  return needed[static_cast<std::size_t>(kPower * kStretches)];
}

}  // namespace

int most_pairs_of_a_comparison() { return kMostPairs; }

NoiseFigures figures_of(const NoiseRecording& recording, double min_gain) {
  const std::span<const double> log_ratios = recording.log_ratios;
  assert(std::cmp_greater_equal(log_ratios.size(), kFewestRecordedPairs));
  const PairedEstimate whole = estimate(log_ratios);
  NoiseFigures figures;
  figures.pairs = whole.pairs;
  figures.pair_seconds = recording.seconds / whole.pairs;
  figures.pair_noise = robust_deviation(log_ratios);
  figures.mean_noise = whole.standard_error;
  figures.drift = drift_of(recording.times_us);

  Random random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  const auto reach_in = [&](double seconds) {
    NoiseFigures::Reach reach{.seconds = seconds, .gain = {}};
    const double fitting =
        std::min(seconds / figures.pair_seconds,
                 static_cast<double>(std::min(recording.most_pairs, kMostPairs)));
    if (fitting < kFewestPairs) return reach;
    reach.gain = gain_of(least_found(log_ratios, static_cast<int>(fitting), random));
    return reach;
  };
  std::ranges::transform(kReachSeconds, figures.reach.begin(), reach_in);
  figures.longest = reach_in(recording.longest_seconds);

  figures.min_gain = min_gain;
  figures.decisions = kDecisions;
  ResampledPairs noise(log_ratios, random);
  for (int i = 0; i < kDecisions; ++i) {
    noise.begin();
    const SimulatedDecision trial = simulate_decision([&] { return noise.next(); }, min_gain);
    if (trial.conclusion == Conclusion::faster) ++figures.false_keeps;
  }
  return figures;
}

DeviceNoise device_noise(const NoiseFigures& figures, std::string device,
                         std::string driver_version) {
  return {.device = std::move(device),
          .driver_version = std::move(driver_version),
          .pair_error = figures.mean_noise * std::sqrt(figures.pairs),
          .pair_seconds = figures.pair_seconds,
          .detectable_gain = figures.longest.gain};
}

std::string out_of_reach(const DeviceNoise& noise, double min_gain) {
  if (!noise.detectable_gain) {
    return "by the noise measured here, a comparison has no time for the pairs it needs: "
           "choose a smaller size";
  }
  if (*noise.detectable_gain <= kFoundGain * min_gain) return {};
  return fmt::format(
      "by the noise measured here, a gain of {:.2g} % is mostly too small to be detected; "
      "--min-gain {:.2g} is detectable",
      100 * min_gain, 100 * *noise.detectable_gain / kFoundGain);
}

std::optional<double> seconds_to_look_faster(const DeviceNoise& noise, double min_gain,
                                             double longest_seconds) {
  // The mean lies above the minimum gain 95 times in 100 once that is so many standard errors below
  // the true one.
  const double margin = log_ratio_of(kFoundGain * min_gain) - log_ratio_of(min_gain);
  const double pairs = std::pow(kPowerQuantile * noise.pair_error / margin, 2);
  const double seconds = pairs * noise.pair_seconds;
  if (pairs > kMostPairs || !(seconds <= longest_seconds)) return {};
  return seconds;
}

}  // namespace autokernel::trial
