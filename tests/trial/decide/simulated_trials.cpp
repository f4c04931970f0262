#include "trial/decide/simulated_trials.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "trial/decide/confirmation_rule.h"

namespace autokernel::trial {
namespace {

using Random = std::mt19937_64;

class Count {
 public:
  explicit Count(double true_log_ratio) : true_log_ratio_(true_log_ratio) {}

  void add(const SimulatedDecision& outcome) {
    ++tally_.trials;
    if (outcome.conclusion == Conclusion::faster) ++tally_.faster;
    if (outcome.conclusion == Conclusion::not_faster) ++tally_.not_faster;
    if (outcome.conclusion == Conclusion::undecided) ++tally_.undecided;
    const Interval bounds = interval(outcome.estimate);
    if (bounds.low <= true_log_ratio_ && true_log_ratio_ <= bounds.high) ++tally_.within_interval;
    pairs_.push_back(outcome.estimate.pairs);
  }

  Tally result() {
    std::ranges::sort(pairs_);
    tally_.median_pairs = pairs_[pairs_.size() / 2];
    tally_.mean_pairs =
        std::accumulate(pairs_.begin(), pairs_.end(), 0.0) / static_cast<double>(pairs_.size());
    return tally_;
  }

 private:
  double true_log_ratio_;
  Tally tally_;
  std::vector<int> pairs_;
};

}  // namespace

Tally tally(const Noise& noise, double gain, int trials) {
  Random random(2);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  const double true_log_ratio = log_ratio_of(gain);
  ResampledPairs pairs(noise.log_ratios, random);
  Count count(true_log_ratio);
  for (int i = 0; i < trials; ++i) {
    pairs.begin();
    count.add(simulate_decision([&] { return true_log_ratio + pairs.next(); }, noise.min_gain));
  }
  return count.result();
}

Tally tally_slow(const Noise& noise, double gain, const SlowLaunches& slow, int trials) {
  Random random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  const double true_log_ratio = log_ratio_of(gain);
  std::bernoulli_distribution is_slow(slow.share);
  ResampledPairs pairs(noise.log_ratios, random);
  Count count(true_log_ratio);
  // Of a launch: the noise of a pair is that of two.
  const auto launches = [&](int samples, double log_time, double slow_by) {
    std::vector<double> times_us(static_cast<std::size_t>(samples));
    for (double& time : times_us) {
      const double lost = slow_by > 0 && is_slow(random) ? slow_by : 0;
      time = std::exp(log_time + lost + pairs.next() / std::numbers::sqrt2);
    }
    return times_us;
  };
  const int samples = candidate_samples(noise.is_of_a_gpu());
  int confirmed = 0;
  for (int i = 0; i < trials; ++i) {
    pairs.begin();
    const SimulatedDecision trial = simulate_decision(
        [&] {
          const double lost = is_slow(random) ? std::log(slow.factor) : 0;
          return true_log_ratio - lost + pairs.next();
        },
        noise.min_gain);
    count.add(trial);
    if (trial.conclusion != Conclusion::faster) continue;
    std::vector<std::vector<double>> candidate(3);
    std::vector<std::vector<double>> incumbent(2);
    for (auto& times_us : candidate) {
      times_us = launches(samples, -true_log_ratio, std::log(slow.factor));
    }
    for (auto& times_us : incumbent) times_us = launches(kIncumbentSamples, 0, 0);
    const SeparateGain separate =
        compare_separate_processes(candidate, incumbent, {.relative = 0.025});
    confirmed +=
        confirms_gain(separate, gain_of(trial.estimate.mean), noise.min_gain, false) ? 1 : 0;
  }
  Tally tally = count.result();
  tally.confirmed = confirmed;
  return tally;
}

Tally tally_normal(const NormalNoise& noise, double gain, double min_gain, int trials) {
  Random random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> standard;
  const double fresh = noise.deviation * std::sqrt(1 - noise.correlation * noise.correlation);
  const double true_log_ratio = log_ratio_of(gain);
  Count count(true_log_ratio);
  for (int i = 0; i < trials; ++i) {
    double now = noise.deviation * standard(random);
    double offset = 0;
    int pairs = 0;
    count.add(simulate_decision(
        [&] {
          now = noise.correlation * now + fresh * standard(random);
          if (pairs++ % noise.offset_pairs == 0) offset = noise.offset * standard(random);
          return true_log_ratio + now + offset;
        },
        min_gain));
  }
  return count.result();
}

}  // namespace autokernel::trial
