#include "programs/verify/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/base/probability.h"
#include "autokernel/trial/decision.h"
#include "autokernel/trial/number_in_output.h"

namespace autokernel::programs {
namespace {

// The probability, at one look, of a difference like this where there is none. There are half a
// dozen looks: together they find what is not there about once in ten thousand times.
constexpr double kNoChance = 2e-5;
// On each side of the interval: 99 % together.
constexpr double kOutside = 0.005;
// Half a percent is what a program's time is hardly ever known better than.
constexpr double kNarrow = 0.005;
// What may be called no difference when there are no more pairs.
constexpr double kNarrowInTheEnd = 0.02;

[[nodiscard]] double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

constexpr const char* kOption = "--metric";

}  // namespace

void check_pattern(const Measure& measure) {
  if (!measure.pattern.empty()) (void)trial::number_pattern(kOption, measure.pattern);
}

double measured(const Measure& measure, const ProgramRun& run) {
  if (measure.pattern.empty()) return run.seconds;
  const auto value =
      trial::last_number(trial::number_pattern(kOption, measure.pattern), run.output);
  if (value && *value > 0) return *value;
  throw Error(Stop::usage,
              fmt::format("the program printed no number above 0 that --metric '{}' fits; its last "
                          "line is: {}",
                          measure.pattern, last_line(run.output)));
}

ProgramSpeedup speedup_of(const std::vector<PairOfRuns>& pairs, bool higher_is_better,
                          bool is_last_look) {
  std::vector<double> log_ratios;
  std::vector<double> original;
  std::vector<double> replaced;
  for (const PairOfRuns& pair : pairs) {
    const double ratio = std::log(pair.original / pair.replaced);
    log_ratios.push_back(higher_is_better ? -ratio : ratio);
    original.push_back(pair.original);
    replaced.push_back(pair.replaced);
  }
  const trial::PairedEstimate estimate = trial::estimate(log_ratios);
  const double freedom = std::max(estimate.values - 1, 1);
  const double half = student_t_quantile(freedom, kOutside) * estimate.standard_error;
  ProgramSpeedup speedup{.pairs = static_cast<int>(pairs.size()),
                         .ratio = std::exp(estimate.mean),
                         .low = std::exp(estimate.mean - half),
                         .high = std::exp(estimate.mean + half),
                         .original = median(original),
                         .replaced = median(replaced)};
  using Conclusion = ProgramSpeedup::Conclusion;
  const double certain = student_t_quantile(freedom, kNoChance) * estimate.standard_error;
  if (std::fabs(estimate.mean) > certain) {
    speedup.conclusion = estimate.mean > 0 ? Conclusion::faster : Conclusion::slower;
  } else if (half < kNarrow ||
             (is_last_look && half < kNarrowInTheEnd && speedup.low <= 1 && speedup.high >= 1)) {
    speedup.conclusion = Conclusion::no_difference;
  }
  return speedup;
}

int next_look_after(int pairs) {
  constexpr double kMore = 1.4;  // half a dozen looks up to 40 pairs
  return static_cast<int>(std::ceil(pairs * kMore));
}

}  // namespace autokernel::programs
