#include "autokernel/trial/decision.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "autokernel/base/probability.h"

namespace autokernel::trial {
namespace {

// The probability, at one look, of a mean like this where there is no gain, below which there is
// one. There are up to a dozen looks: together they find what is not there about once in 10^6.
constexpr double kNoChance = 2e-7;

// The probability of finding so little where there is a gain, below which there is none: a gain
// that is overlooked can be tried again, so less certainty will do.
constexpr double kLittleChance = 1e-3;

// How many standard errors the minimum gain must be for an estimate below it to be believed. One
// that is 1.4 times as large then lies two standard errors above it, and is overlooked 2 times in
// 100.
constexpr double kPreciseEnough = 5;

// The fewest batches a standard error is taken from: 12, so that at the first look batches of four
// pairs count. Its uncertainty, a fifth of itself, is allowed for by Student's t distribution.
constexpr std::size_t kFewestBatches = 12;

// So large a share of the log ratios is left out at each end: of launches that something else on
// the machine got in the way of. They are few and far off; with them a kernel of some microseconds
// on an H200 needs twice the pairs, and one on a shared CPU as well. More would hide a kernel that
// is itself slow now and then.
constexpr double kTrimmed = 0.1;

// Each look has that many times the pairs of the one before: a dozen looks in all, and at most that
// factor more pairs than necessary.
constexpr double kNextLook = 1.4;

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Of the mean of values that have nothing to do with each other.
double standard_error_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

// The means of two neighbours each; a last one without a neighbour is left out.
std::vector<double> halved(std::span<const double> values) {
  std::vector<double> means;
  means.reserve(values.size() / 2);
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    means.push_back((values[i] + values[i + 1]) / 2);
  return means;
}

// Values whose mean is the trimmed mean of `log_ratios`, in their order, and whose scatter gives
// its standard error: those of the winsorised sample, spread by what trimming leaves out (Tukey and
// McLaughlin 1963, Yuen 1974).
struct Trimmed {
  std::vector<double> values;
  int left = 0;  // how many were not left out
};
Trimmed trimmed(std::span<const double> log_ratios) {
  const auto count = log_ratios.size();
  const auto cut = static_cast<std::size_t>(kTrimmed * static_cast<double>(count));
  std::vector<double> sorted(log_ratios.begin(), log_ratios.end());
  std::ranges::sort(sorted);
  const double low = sorted[cut];
  const double high = sorted[count - 1 - cut];
  const double mean = mean_of(std::span(sorted).subspan(cut, count - 2 * cut));
  Trimmed result{.values = {}, .left = static_cast<int>(count - 2 * cut)};
  for (const double ratio : log_ratios) result.values.push_back(std::clamp(ratio, low, high));
  const double winsorised = mean_of(result.values);
  const double spread = static_cast<double>(count) / result.left;
  for (double& value : result.values) value = mean + (value - winsorised) * spread;
  return result;
}

double degrees_of_freedom(const PairedEstimate& estimate) {
  assert(estimate.values >= 2);
  return estimate.values - 1;
}

// How far the true value lies from the mean at most, on one side, but for that probability.
double distance(const PairedEstimate& estimate, double probability) {
  return student_t_quantile(degrees_of_freedom(estimate), probability) * estimate.standard_error;
}

// Whether a mean that is below the threshold can be believed.
bool is_precise(const PairedEstimate& estimate, double threshold) {
  return estimate.pairs >= kFirstLook && estimate.standard_error <= threshold / kPreciseEnough;
}

}  // namespace

PairedEstimate estimate(std::span<const double> log_ratios) {
  assert(log_ratios.size() >= 2);
  const Trimmed sample = trimmed(log_ratios);
  PairedEstimate estimate{.pairs = static_cast<int>(log_ratios.size()),
                          .mean = mean_of(sample.values),
                          .standard_error = standard_error_of(sample.values),
                          .values = sample.left};
  // What disturbs a pair mostly disturbs the next one, too. Then the means of batches of pairs
  // differ by more than if each pair stood for itself, once batches are longer than disturbances.
  // How long those are, is not known: every length is tried, doubled each time, and the largest
  // standard error counts.
  for (std::vector<double> batches = halved(sample.values); batches.size() >= kFewestBatches;
       batches = halved(batches)) {
    const double standard_error = standard_error_of(batches);
    if (standard_error <= estimate.standard_error) continue;
    estimate.standard_error = standard_error;
    estimate.values = static_cast<int>(batches.size());
  }
  return estimate;
}

double gain_of(double log_ratio) { return -std::expm1(-log_ratio); }

double log_ratio_of(double gain) { return -std::log1p(-gain); }

Conclusion conclude(const PairedEstimate& estimate, double min_gain) {
  if (estimate.pairs < kFewestPairs) return Conclusion::undecided;
  const double threshold = log_ratio_of(min_gain);
  if (estimate.mean >= threshold) {
    return p_value(estimate) < kNoChance ? Conclusion::faster : Conclusion::undecided;
  }
  const bool precise = is_precise(estimate, threshold);
  const bool out_of_reach = estimate.mean + distance(estimate, kLittleChance) < threshold;
  return precise || out_of_reach ? Conclusion::not_faster : Conclusion::undecided;
}

bool is_precise_part(const PairedEstimate& estimate, double min_gain) {
  const double own = std::fabs(estimate.mean) / kPreciseEnough;
  return is_precise(estimate, std::max(own, log_ratio_of(min_gain)));
}

double least_mean_above_chance(const PairedEstimate& estimate) {
  return distance(estimate, kNoChance);
}

bool is_as_fast(const PairedEstimate& estimate, double min_gain) {
  return estimate.pairs >= kFewestPairs &&
         estimate.mean - distance(estimate, kLittleChance) > -log_ratio_of(min_gain);
}

int next_look(int pairs) {
  if (pairs < kFirstLook) return kFirstLook;
  return std::min(static_cast<int>(std::ceil(pairs * kNextLook)), kMostPairs);
}

Interval interval(const PairedEstimate& estimate) {
  constexpr double kOnEachSide = 0.025;
  const double half = distance(estimate, kOnEachSide);
  return {.low = estimate.mean - half, .high = estimate.mean + half};
}

double p_value(const PairedEstimate& estimate) {
  if (estimate.standard_error == 0) {  // a clock of coarse ticks can give the same ratio each time
    constexpr double kEither = 0.5;
    if (estimate.mean == 0) return kEither;
    return estimate.mean > 0 ? 0 : 1;
  }
  return student_t_upper_tail(degrees_of_freedom(estimate),
                              estimate.mean / estimate.standard_error);
}

}  // namespace autokernel::trial
