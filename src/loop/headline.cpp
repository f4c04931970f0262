#include "loop/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "autokernel/base/probability.h"
#include "autokernel/ledger/figure_text.h"
#include "loop/experiment_fields.h"

namespace autokernel::loop {
namespace {

[[nodiscard]] double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

ledger::Confirmed confirmed(const std::vector<double>& ratios) {
  std::vector<double> logarithms;
  double mean = 0;
  for (const double ratio : ratios) {
    logarithms.push_back(std::log(ratio));
    mean += logarithms.back() / static_cast<double>(ratios.size());
  }
  const double half = student_half_width(logarithms).value_or(0);
  return {.ratio = std::exp(mean), .low = std::exp(mean - half), .high = std::exp(mean + half)};
}

std::string library_of(const trial::Result& result) {
  const auto found = result.versions.find("reference");
  return found == result.versions.end() ? "" : found->second;
}

namespace {

void summarise_one(const std::vector<trial::Result>& results, ledger::RunFinished& headline) {
  std::vector<double> best;
  std::vector<double> baseline;
  std::vector<double> library;
  std::vector<double> over_baseline;
  std::vector<double> over_library;
  for (const trial::Result& result : results) {
    if (!result.times) continue;
    if (result.metric) {
      headline.best_metric = metric_of(*result.metric, 0);
      headline.baseline_metric = headline.best_metric;
    }
    const double ours = result.times->median_us;
    best.push_back(ours);
    if (result.comparison) {
      baseline.push_back(result.comparison->incumbent_times.median_us);
      // Of the pairs, whose mean decided when it was kept.
      over_baseline.push_back(1 / (1 - result.comparison->gain));
    }
    if (result.reference) {
      library.push_back(result.reference->median_us);
      over_library.push_back(library.back() / ours);
    }
  }
  // What a metric comes to is no time.
  const auto put = [](const std::vector<double>& values, std::optional<double>& time_us,
                      std::optional<ledger::MetricValue>& metric) {
    if (values.empty()) {
      metric.reset();
    } else if (metric) {
      metric->value = median(values);
    } else {
      time_us = median(values);
    }
  };
  put(best, headline.best_us, headline.best_metric);
  put(baseline, headline.baseline_us, headline.baseline_metric);
  if (!library.empty()) headline.library_us = median(library);
  if (!over_baseline.empty()) headline.over_baseline = confirmed(over_baseline);
  if (!over_library.empty()) headline.over_library = confirmed(over_library);
}

struct Weighted {
  double share = 1;  // of all weights
  ledger::RunFinished figures;
};

// None where it is not known of each size.
[[nodiscard]] std::optional<double> mean_time(const std::vector<Weighted>& sizes,
                                              std::optional<double> ledger::RunFinished::* time) {
  double logs = 0;
  for (const Weighted& size : sizes) {
    const std::optional<double>& value = size.figures.*time;
    if (!value) return std::nullopt;
    logs += size.share * std::log(*value);
  }
  return std::exp(logs);
}

[[nodiscard]] std::optional<ledger::Confirmed> mean_ratio(
    const std::vector<Weighted>& sizes,
    std::optional<ledger::Confirmed> ledger::RunFinished::* ratio) {
  double logs = 0;
  double squares = 0;
  for (const Weighted& size : sizes) {
    const std::optional<ledger::Confirmed>& value = size.figures.*ratio;
    if (!value) return std::nullopt;
    logs += size.share * std::log(value->ratio);
    squares += std::pow(size.share * std::log(value->high / value->ratio), 2);
  }
  const double half = std::sqrt(squares);
  return ledger::Confirmed{
      .ratio = std::exp(logs), .low = std::exp(logs - half), .high = std::exp(logs + half)};
}

}  // namespace

void summarise(const std::vector<ResultsAtSize>& sizes, ledger::RunFinished& headline) {
  if (sizes.size() == 1) return summarise_one(sizes.front().results, headline);
  double weights = 0;
  for (const ResultsAtSize& size : sizes) weights += size.weight;
  std::vector<Weighted> all;
  for (const ResultsAtSize& size : sizes) {
    summarise_one(size.results, all.emplace_back(Weighted{size.weight / weights, {}}).figures);
  }
  headline.best_us = mean_time(all, &ledger::RunFinished::best_us);
  headline.baseline_us = mean_time(all, &ledger::RunFinished::baseline_us);
  headline.library_us = mean_time(all, &ledger::RunFinished::library_us);
  headline.over_baseline = mean_ratio(all, &ledger::RunFinished::over_baseline);
  headline.over_library = mean_ratio(all, &ledger::RunFinished::over_library);
}

std::string guard_fault(const std::vector<ResultsAtSize>& sizes) {
  std::map<std::string, std::vector<double>> gains;
  std::map<std::string, trial::GuardReport> guards;
  for (const ResultsAtSize& size : sizes) {
    for (const trial::Result& result : size.results) {
      if (!result.metric) continue;
      for (const trial::GuardReport& guard : result.metric->guards) {
        if (!guard.gain) continue;
        gains[guard.name].push_back(*guard.gain);
        guards.insert({guard.name, guard});
      }
    }
  }
  for (const auto& [name, guard] : guards) {
    const double gain = median(gains.at(name));
    if (gain >= -guard.most_loss) continue;
    return fmt::format("{} is {} against the baseline's, and at most {:g} % worse is allowed", name,
                       ledger::change_text(ledger::change_by(gain, guard.higher_is_better)),
                       100 * guard.most_loss);
  }
  return {};
}

}  // namespace autokernel::loop
