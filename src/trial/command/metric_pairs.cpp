#include "trial/command/metric_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autokernel/base/probability.h"
#include "trial/decide/slow_minority.h"

namespace autokernel::trial {
namespace {

// With fewer than kFewestPairs there is one look, at the end. The probability of such a mean where
// there is no gain, below which there is one: ten thousand experiments without a gain keep none.
constexpr double kNoChanceAtOnce = 1e-5;
// And of so little where there is one, below which there is none (as in decide/decision.cpp).
constexpr double kLittleChanceAtOnce = 1e-3;
// Beyond a guard-rail for certain, and within it for certain: on one side each.
constexpr double kGuardTail = 0.005;
// Each look has that many times the pairs of the one before, as for kernels.
constexpr double kLooks = 1.4;

// Of a few values, none of which is left out.
struct Plain {
  double mean = 0;
  double standard_error = 0;
  double freedom = 1;
};
[[nodiscard]] Plain plain(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Plain found;
  for (const double value : values) found.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  if (values.size() < 2) return found;
  found.freedom = count - 1;
  found.standard_error = std::sqrt(squares / found.freedom / count);
  return found;
}

[[nodiscard]] double half_width(const Plain& found, double tail) {
  return student_t_quantile(found.freedom, tail) * found.standard_error;
}

[[nodiscard]] Conclusion conclude_few(const Plain& found, double min_gain) {
  const double threshold = log_ratio_of(min_gain);
  if (found.mean >= threshold) {
    return found.mean > half_width(found, kNoChanceAtOnce) ? Conclusion::faster
                                                           : Conclusion::undecided;
  }
  return found.mean + half_width(found, kLittleChanceAtOnce) < threshold ? Conclusion::not_faster
                                                                         : Conclusion::undecided;
}

}  // namespace

void MetricPairs::add(double candidate, double incumbent) {
  candidate_.push_back(candidate);
  incumbent_.push_back(incumbent);
  const bool rises = metric_->better == cases::Better::higher;
  log_ratios_.push_back(rises ? std::log(candidate / incumbent) : std::log(incumbent / candidate));
}

Conclusion MetricPairs::look(double min_gain, int most) {
  // One look of a few pairs, which can only give a candidate up.
  if (count() == kFewestRuns + 1 && most > kFewestRuns + 1) {
    const bool is_hopeless = conclude_few(plain(log_ratios_), min_gain) == Conclusion::not_faster;
    return is_hopeless ? Conclusion::not_faster : Conclusion::undecided;
  }
  if (count() < std::max(kFewestPairs, next_look_)) return Conclusion::undecided;
  next_look_ = static_cast<int>(std::ceil(count() * kLooks));
  return conclude_guarded(log_ratios_, estimate(log_ratios_), min_gain, Looking::on);
}

Conclusion MetricPairs::conclusion(double min_gain) const {
  if (count() < kFewestRuns) return Conclusion::undecided;
  if (count() < kFewestPairs) return conclude_few(plain(log_ratios_), min_gain);
  return conclude_guarded(log_ratios_, estimate(log_ratios_), min_gain, Looking::last);
}

bool MetricPairs::is_surely_at_least(double log_ratio) const {
  if (count() < 2) return false;
  const Plain found = plain(log_ratios_);
  return found.mean - half_width(found, kGuardTail) >= log_ratio;
}

bool MetricPairs::is_surely_below(double log_ratio) const {
  if (count() < 2) return false;
  const Plain found = plain(log_ratios_);
  return found.mean + half_width(found, kGuardTail) < log_ratio;
}

MetricPairs::Figures MetricPairs::figures() const {
  constexpr double kOnEachSide = 0.025;
  if (count() < kFewestPairs) {
    const Plain found = plain(log_ratios_);
    const double half = half_width(found, kOnEachSide);
    constexpr double kEither = 0.5;
    double tail = found.mean == 0 ? kEither : found.mean > 0 ? 0 : 1;
    if (found.standard_error > 0)
      tail = student_t_upper_tail(found.freedom, found.mean / found.standard_error);
    return {.gain = gain_of(found.mean),
            .gain_low = gain_of(found.mean - half),
            .gain_high = gain_of(found.mean + half),
            .standard_error = found.standard_error,
            .p_value = tail,
            .values = count()};
  }
  const PairedEstimate found = estimate(log_ratios_);
  const Interval logs = interval(found);
  return {.gain = gain_of(found.mean),
          .gain_low = gain_of(logs.low),
          .gain_high = gain_of(logs.high),
          .standard_error = found.standard_error,
          .p_value = trial::p_value(found),
          .values = found.values};
}

std::string change_text(const cases::Metric& metric, double gain) {
  const bool rises = metric.better == cases::Better::higher;
  const double change = rises ? 1 / (1 - gain) - 1 : -gain;
  return fmt::format("{:+.2f} %", 100 * change);
}

std::string figures_text(const cases::Metric& metric, const MetricPairs::Figures& figures,
                         const std::string& incumbent, int pairs) {
  const bool rises = metric.better == cases::Better::higher;
  const double first = rises ? figures.gain_low : figures.gain_high;
  const double last = rises ? figures.gain_high : figures.gain_low;
  std::string text =
      fmt::format("{} {} against {}", change_text(metric, figures.gain), metric.name, incumbent);
  if (figures.standard_error == 0) return text;
  return text + fmt::format(" (95 %: {} to {}, {} pairs)", change_text(metric, first),
                            change_text(metric, last), pairs);
}

}  // namespace autokernel::trial
