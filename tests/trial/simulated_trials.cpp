#include "trial/simulated_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace autokernel::trial {
namespace {

// Several times as long as disturbances last that pairs have in common, and short enough that no
// two trials of a recording of thousands of pairs are the same.
constexpr std::size_t kBlock = 40;

using Random = std::mt19937_64;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Pairs of a recording, in blocks.
class Bootstrap {
 public:
  Bootstrap(const std::vector<double>& log_ratios, Random& random)
      : log_ratios_(log_ratios),
        mean_(mean_of(log_ratios)),
        random_(random),
        any_(0, log_ratios.size() - 1) {}

  // A trial has nothing to do with the one before.
  void begin() { left_ = 0; }
  double next() {
    if (left_ == 0) {
      at_ = any_(random_);
      left_ = kBlock;
      sign_ = swapped_(random_) ? -1 : 1;
    }
    const double value = log_ratios_[at_] - mean_;
    at_ = (at_ + 1) % log_ratios_.size();
    --left_;
    return sign_ * value;
  }

 private:
  const std::vector<double>& log_ratios_;
  double mean_;
  Random& random_;
  std::uniform_int_distribution<std::size_t> any_;
  std::bernoulli_distribution swapped_;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
  double sign_ = 1;
};

class Count {
 public:
  explicit Count(double true_log_ratio) : true_log_ratio_(true_log_ratio) {}

  void add(const Outcome& outcome) {
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

Outcome run_trial(const std::function<double()>& next_pair, double min_gain) {
  std::vector<double> log_ratios;
  log_ratios.reserve(kMostPairs);
  Outcome outcome;
  int look = 0;
  while (outcome.conclusion == Conclusion::undecided && look < kMostPairs) {
    look = next_look(look);
    while (static_cast<int>(log_ratios.size()) < look) log_ratios.push_back(next_pair());
    outcome.estimate = estimate(log_ratios);
    outcome.conclusion = conclude(outcome.estimate, min_gain);
  }
  return outcome;
}

Tally tally(const Noise& noise, double gain, int trials) {
  Random random(2);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  const double true_log_ratio = log_ratio_of(gain);
  Bootstrap pairs(noise.log_ratios, random);
  Count count(true_log_ratio);
  for (int i = 0; i < trials; ++i) {
    pairs.begin();
    count.add(run_trial([&] { return true_log_ratio + pairs.next(); }, noise.min_gain));
  }
  return count.result();
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
    count.add(run_trial(
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
