#include "trial/decide/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "autokernel/base/defences.h"
#include "trial/decide/input_dependence.h"
#include "trial/decide/statistics.h"

namespace autokernel::trial {
namespace {

// Of the logarithms of times: what an incumbent takes by itself against what it takes beside the
// candidate is a ratio, too.
struct LogMean {
  double mean = 0;
  double variance_of_mean = 0;
};

[[nodiscard]] LogMean log_mean(std::span<const double> times_us) {
  const auto count = static_cast<double>(times_us.size());
  double sum = 0;
  for (const double time : times_us) sum += std::log(time);
  const double mean = sum / count;
  double squares = 0;
  for (const double time : times_us) squares += std::pow(std::log(time) - mean, 2);
  return {mean, times_us.size() < 2 ? 0 : squares / (count - 1) / count};
}

// So many standard errors slower beside the candidate than without it is more than chance.
constexpr double kDisturbedErrors = 3;

[[nodiscard]] bool is_slower(const LogMean& beside, const LogMean& alone) {
  return beside.mean - alone.mean >
         kDisturbedErrors * std::sqrt(beside.variance_of_mean + alone.variance_of_mean);
}

[[nodiscard]] std::string figures(const PairedComparison& comparison, int pairs) {
  return fmt::format("{:+.2f} % time against {} (95 %: {:+.2f} to {:+.2f} %, {} pairs)",
                     -100 * comparison.gain, comparison.incumbent_name, -100 * comparison.gain_high,
                     -100 * comparison.gain_low, pairs);
}

[[nodiscard]] std::string reason_of(const PairedComparison& comparison,
                                    const PairedEstimate& estimate, double plain_mean) {
  std::string text = figures(comparison, estimate.pairs);
  switch (comparison.outcome) {
    case Outcome::faster:
    case Outcome::over_guard_rail:  // which is found elsewhere
      break;
    case Outcome::not_faster:
    case Outcome::inconclusive:
      if (conclude(estimate, comparison.min_gain) == Conclusion::faster) {
        text += fmt::format("; but its slowest launches are slower, and with them it is {:+.2f} %",
                            -100 * gain_of(plain_mean));
      } else if (comparison.outcome == Outcome::not_faster) {
        text += fmt::format("; the minimum gain is {:.2f} %", 100 * comparison.min_gain);
      } else {
        text += fmt::format("; too noisy to detect a gain of {:.2f} %", 100 * comparison.min_gain);
      }
      break;
  }
  return text;
}

[[nodiscard]] Outcome outcome_of(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::faster:
      return Outcome::faster;
    case Conclusion::not_faster:
      return Outcome::not_faster;
    case Conclusion::undecided:
      break;
  }
  return Outcome::inconclusive;
}

}  // namespace

void Pairing::add_pair(double candidate_us, double incumbent_us, InputKind inputs) {
  incumbent_us_.push_back(incumbent_us);
  log_ratios_.push_back(std::log(incumbent_us / candidate_us));
  inputs_.push_back(inputs);
  if (!needs_more_) return;  // a recording goes on
  const auto pairs = static_cast<int>(log_ratios_.size());
  if (next_look_ == 0) next_look_ = kFirstLook;
  if (pairs < next_look_) return;
  next_look_ = next_look(pairs);
  needs_more_ = pairs < kMostPairs && !is_over();
}

bool Pairing::is_over() const {
  if (until_ == Until::precise) return is_precise_part(estimated(), min_gain_);
  return conclusion(Looking::on) != Conclusion::undecided;
}

std::vector<double> Pairing::counted() const {
  const auto kind = lesser_kind(log_ratios_, inputs_);
  return kind ? of_kind(*kind, log_ratios_, inputs_) : log_ratios_;
}

Conclusion Pairing::conclusion(Looking looking) const {
  const std::vector<double> ratios = counted();
  const PairedEstimate found = estimate(ratios);
  if (!stands(Defence::slow_minority)) return conclude(found, min_gain_);
  return conclude_guarded(ratios, found, min_gain_, looking);
}

bool Pairing::looks_faster() const {
  return log_ratios_.size() >= 2 && estimated().mean >= log_ratio_of(min_gain_);
}

PairedComparison Pairing::comparison() const {
  const PairedEstimate found = estimated();
  const Interval logs = interval(found);
  PairedComparison comparison;
  comparison.incumbent_name = incumbent_name_;
  comparison.outcome = outcome_of(conclusion(Looking::last));
  comparison.min_gain = min_gain_;
  comparison.gain = gain_of(found.mean);
  comparison.gain_low = gain_of(logs.low);
  comparison.gain_high = gain_of(logs.high);
  comparison.p_value = p_value(found);
  comparison.standard_error = found.standard_error;
  comparison.values = found.values;
  comparison.as_fast = stands(Defence::slow_minority)
                           ? is_as_fast_guarded(counted(), found, min_gain_)
                           : is_as_fast(found, min_gain_);
  comparison.incumbent_times = summarise(incumbent_us_);
  const SlowMinority slow = slow_minority(counted(), found.mean);
  comparison.plain_gain = gain_of(slow.plain_mean);
  comparison.slow_minority = slow.p_value;
  comparison.reason = reason_of(comparison, found, slow.plain_mean);
  if (const auto kind = lesser_kind(log_ratios_, inputs_)) {
    comparison.reason +=
        fmt::format("; on {}: on others it gains more, which does not count", name_of(*kind));
  }
  // The machine may have become slower, or faster, meanwhile: then one of the two is as slow.
  const LogMean beside = log_mean(incumbent_us_);
  const bool disturbed = !alone_us_.empty() && std::ranges::all_of(alone_us_, [&](const auto& us) {
    return is_slower(beside, log_mean(us));
  });
  if (disturbed) {
    const auto fastest = std::ranges::max_element(
        alone_us_, {}, [](const std::vector<double>& us) { return log_mean(us).mean; });
    comparison.disturbance =
        fmt::format("{} takes {:.3f} us beside the candidate, {:.3f} us without it",
                    incumbent_name_, comparison.incumbent_times.median_us, median(*fastest));
  }
  return comparison;
}

}  // namespace autokernel::trial
