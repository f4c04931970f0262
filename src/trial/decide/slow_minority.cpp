#include "trial/decide/slow_minority.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autokernel/base/probability.h"

namespace autokernel::trial {
namespace {

// So much of the gain by the trimmed mean must be there by the plain one. What the machine disturbs
// moves that more, so where there can be no more pairs any gain will do.
constexpr double kShareInPlainMean = 0.5;

// The share of the pairs that differ most: a kernel whose 95th percentile is the slower one has
// most of them.
constexpr double kMostDifferent = 0.05;

// Between kNoChanceForMinority and this, more pairs say whose the slow launches are. It is as large
// as that, so that at the first look, where the share is three pairs, all three of them being the
// candidate's is reason enough to look on.
constexpr double kLittleChanceForMinority = 0.2;
// Where no more pairs are to say whose they are: honest kernels are refused once in 100 times.
constexpr double kUnlikely = 0.01;

}  // namespace

SlowMinority slow_minority(std::span<const double> log_ratios, double mean) {
  // What either takes longer than usual, in its own usual times.
  double candidates = 0;
  double incumbents = 0;
  for (const double ratio : log_ratios) {
    const double off = ratio - mean;
    (off < 0 ? candidates : incumbents) += std::expm1(std::fabs(off));
  }
  const auto pairs = static_cast<double>(log_ratios.size());
  SlowMinority found;
  found.plain_mean = mean + std::log1p(incumbents / pairs) - std::log1p(candidates / pairs);

  std::vector<double> by_size(log_ratios.begin(), log_ratios.end());
  const auto count = static_cast<std::ptrdiff_t>(std::ceil(kMostDifferent * pairs));
  std::ranges::nth_element(by_size, by_size.begin() + count - 1, std::ranges::greater{},
                           [](double ratio) { return std::fabs(ratio); });
  const auto slow =
      std::count_if(by_size.begin(), by_size.begin() + count, [](double r) { return r < 0; });
  if (slow > 0) {
    found.p_value =
        fair_binomial_upper_tail(static_cast<double>(count), static_cast<double>(slow - 1));
  }
  return found;
}

Conclusion conclude_gain(std::span<const double> log_ratios, const PairedEstimate& estimate,
                         Looking looking) {
  const SlowMinority found = slow_minority(log_ratios, estimate.mean);
  if (found.p_value < kNoChanceForMinority) return Conclusion::not_faster;
  if (looking == Looking::last) {
    return found.plain_mean > 0 ? Conclusion::faster : Conclusion::undecided;
  }
  const bool is_confirmed = found.p_value >= kLittleChanceForMinority &&
                            found.plain_mean >= kShareInPlainMean * estimate.mean;
  return is_confirmed ? Conclusion::faster : Conclusion::undecided;
}

bool is_as_fast_guarded(std::span<const double> log_ratios, const PairedEstimate& estimate,
                        double min_gain) {
  if (!is_as_fast(estimate, min_gain)) return false;
  const SlowMinority found = slow_minority(log_ratios, estimate.mean);
  return found.p_value >= kUnlikely && found.plain_mean >= -log_ratio_of(min_gain);
}

Conclusion conclude_guarded(std::span<const double> log_ratios, const PairedEstimate& estimate,
                            double min_gain, Looking looking) {
  const Conclusion conclusion = conclude(estimate, min_gain);
  return conclusion == Conclusion::faster ? conclude_gain(log_ratios, estimate, looking)
                                          : conclusion;
}

}  // namespace autokernel::trial
