#include "trial/decide/simulated_pairs.h"

#include <numeric>

#include "trial/decide/slow_minority.h"

namespace autokernel::trial {
namespace {

// Several times as long as disturbances last that pairs have in common, and short enough that no
// two trials of a recording of thousands of pairs are the same.
constexpr std::size_t kBlock = 40;

}  // namespace

ResampledPairs::ResampledPairs(std::span<const double> log_ratios, std::mt19937_64& random)
    : log_ratios_(log_ratios), random_(random), any_(0, log_ratios.size() - 1) {
  mean_ = std::accumulate(log_ratios.begin(), log_ratios.end(), 0.0) /
          static_cast<double>(log_ratios.size());
}

double ResampledPairs::next() {
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

std::vector<double> ResampledPairs::stretch(int pairs) {
  begin();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(pairs));
  for (int i = 0; i < pairs; ++i) values.push_back(next());
  return values;
}

SimulatedDecision simulate_decision(const std::function<double()>& next_pair, double min_gain) {
  std::vector<double> log_ratios;
  log_ratios.reserve(kMostPairs);
  SimulatedDecision simulated;
  int look = 0;
  while (simulated.conclusion == Conclusion::undecided && look < kMostPairs) {
    look = next_look(look);
    while (static_cast<int>(log_ratios.size()) < look) log_ratios.push_back(next_pair());
    simulated.estimate = estimate(log_ratios);
    const Looking looking = look < kMostPairs ? Looking::on : Looking::last;
    simulated.conclusion = conclude_guarded(log_ratios, simulated.estimate, min_gain, looking);
  }
  return simulated;
}

}  // namespace autokernel::trial
