#include "autokernel/trial/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "autokernel/trial/decision.h"
#include "trial/decide/slow_minority.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] PairedEstimate estimate_of(const PairedComparison& comparison) {
  return {.pairs = static_cast<int>(comparison.incumbent_times.samples_us.size()),
          .mean = log_ratio_of(comparison.gain),
          .standard_error = comparison.standard_error,
          .values = comparison.values};
}

[[nodiscard]] double sum_of_weights(const std::vector<PartOfScore>& parts) {
  double sum = 0;
  for (const PartOfScore& part : parts) sum += part.weight;
  return sum;
}

// By weights, of what `gain` finds at each size, in logarithms.
template <typename Gain>
[[nodiscard]] double mean_log_ratio(const std::vector<PartOfScore>& parts, Gain gain) {
  double sum = 0;
  for (const PartOfScore& part : parts) sum += part.weight * log_ratio_of(gain(part.comparison));
  return sum / sum_of_weights(parts);
}

[[nodiscard]] PairedEstimate combined(const std::vector<PartOfScore>& parts) {
  const double weights = sum_of_weights(parts);
  PairedEstimate all{
      .pairs = std::numeric_limits<int>::max(),
      .mean = mean_log_ratio(parts, [](const PairedComparison& one) { return one.gain; })};
  double variance = 0;
  double fourths = 0;  // of each variance's square over its degrees of freedom
  for (const PartOfScore& part : parts) {
    const PairedEstimate one = estimate_of(part.comparison);
    const double own = std::pow(part.weight / weights * one.standard_error, 2);
    all.pairs = std::min(all.pairs, one.pairs);
    variance += own;
    fourths += own * own / std::max(one.values - 1, 1);
  }
  all.standard_error = std::sqrt(variance);
  constexpr double kMostValues = 1e6;  // as good as a normal distribution
  const double freedom = fourths > 0 ? variance * variance / fourths : kMostValues;
  all.values = 1 + std::max(1, static_cast<int>(std::min(freedom, kMostValues)));
  return all;
}

[[nodiscard]] std::string change(double gain) { return fmt::format("{:+.2f} %", -100 * gain); }

[[nodiscard]] std::string figures(const PairedComparison& score,
                                  const std::vector<PartOfScore>& parts) {
  std::string text = fmt::format(
      "{} time by the score of {} sizes against {} (95 %: {:+.2f} to "
      "{:+.2f} %):",
      change(score.gain), parts.size(), score.incumbent_name, -100 * score.gain_high,
      -100 * score.gain_low);
  const char* before = " ";
  for (const PartOfScore& part : parts) {
    text += fmt::format("{}{} {}", before, part.size, change(part.comparison.gain));
    before = ", ";
  }
  return text;
}

// What was found at one size beyond its mean, which the mean of all does not see.
void heed(const PartOfScore& part, PairedComparison& score) {
  const auto speak_against = [&](Outcome outcome, const std::string& why) {
    score.outcome = outcome;
    score.reason += fmt::format("; at {}: {}", part.size, why);
  };
  if (has_slow_launches(part.comparison)) {
    return speak_against(Outcome::not_faster,
                         fmt::format("its slowest launches are slower, and with them it is {}",
                                     change(part.comparison.plain_gain)));
  }
  // A gain is confirmed where neither disturbs the other; anything else is not.
  if (part.comparison.outcome != Outcome::faster && !part.comparison.disturbance.empty())
    return speak_against(Outcome::inconclusive, part.comparison.disturbance);
  const bool gains =
      conclude(estimate_of(part.comparison), part.comparison.min_gain) == Conclusion::faster;
  if (!gains || part.comparison.outcome == Outcome::faster) return;
  speak_against(part.comparison.outcome, part.comparison.reason);
}

// By plain means, of which nothing is left out.
[[nodiscard]] double plain_mean(const std::vector<PartOfScore>& parts) {
  return mean_log_ratio(parts, [](const PairedComparison& one) { return one.plain_gain; });
}

// By the processes that confirm a gain, where any size has some.
[[nodiscard]] std::optional<double> confirmed_gain(const std::vector<PartOfScore>& parts) {
  if (std::ranges::none_of(parts, [](const PartOfScore& part) {
        return part.comparison.confirmed_gain.has_value();
      })) {
    return std::nullopt;
  }
  return gain_of(mean_log_ratio(
      parts, [](const PairedComparison& one) { return one.confirmed_gain.value_or(one.gain); }));
}

}  // namespace

PairedComparison score_of(const std::vector<PartOfScore>& parts) {
  assert(!parts.empty());
  const PairedEstimate all = combined(parts);
  const Interval logs = interval(all);
  PairedComparison score = parts.front().comparison;
  score.gain = gain_of(all.mean);
  score.gain_low = gain_of(logs.low);
  score.gain_high = gain_of(logs.high);
  score.p_value = p_value(all);
  score.standard_error = all.standard_error;
  score.values = all.values;
  score.as_fast =
      std::ranges::all_of(parts, [](const auto& part) { return part.comparison.as_fast; });
  score.reason = figures(score, parts);
  switch (conclude(all, score.min_gain)) {
    case Conclusion::faster:
      score.outcome = Outcome::faster;
      for (const PartOfScore& part : parts) {
        if (score.outcome == Outcome::faster) heed(part, score);
      }
      if (score.outcome != Outcome::faster) break;
      if (plain_mean(parts) <= 0) {
        score.outcome = Outcome::inconclusive;
        score.reason +=
            fmt::format("; with its slowest launches it is {}", change(gain_of(plain_mean(parts))));
      } else if (std::ranges::none_of(parts, [](const PartOfScore& part) {
                   return part.comparison.outcome == Outcome::faster;
                 })) {
        // Only a gain at a size of its own is confirmed in processes of its own.
        score.outcome = Outcome::inconclusive;
        score.reason += "; no size shows a gain by itself";
      }
      break;
    case Conclusion::not_faster:
      score.outcome = Outcome::not_faster;
      score.reason += fmt::format("; the minimum gain is {:.2f} %", 100 * score.min_gain);
      break;
    case Conclusion::undecided:
      score.outcome = Outcome::inconclusive;
      score.reason += fmt::format("; too noisy to detect a gain of {:.2f} %", 100 * score.min_gain);
      break;
  }
  for (const PartOfScore& part : parts) {
    if (score.disturbance.empty()) score.disturbance = part.comparison.disturbance;
  }
  score.confirmed_gain = confirmed_gain(parts);
  return score;
}

bool has_slow_launches(const PairedComparison& comparison) {
  return comparison.slow_minority < kNoChanceForMinority;
}

std::string guard_fault(const cases::Goal& goal, const Result& result) {
  std::string fault;
  const auto hold = [&](const auto& most, auto found, const char* what) {
    if (!fault.empty() || !most || found <= *most) return;
    fault = fmt::format("it has {:g} {}, and {:g} is allowed", static_cast<double>(found), what,
                        static_cast<double>(*most));
  };
  if (const auto& resources = result.resources) {
    hold(goal.registers, resources->registers, "registers per thread");
    hold(goal.spill_bytes, resources->spill_bytes, "bytes spilled per thread");
    hold(goal.shared_bytes, resources->shared_bytes, "bytes of shared memory per block");
  }
  if (const auto& errors = result.differences) {
    hold(goal.max_abs_error, errors->max_abs, "as its largest absolute error");
    hold(goal.max_rel_error, errors->max_rel, "as its largest relative error");
  }
  return fault;
}

}  // namespace autokernel::trial
