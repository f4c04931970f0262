#include "lab/load/intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "autokernel/base/probability.h"
#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

constexpr double kTail = 0.025;  // of a 95 % interval, on each side
constexpr std::array kQuantiles = {0.5, 0.9, 0.95, 0.99};

// So many resamples for a percentile interval (Efron and Tibshirani, section 13.3), but no more
// work than a second or two: with many values an interval is narrow, and its error with it.
constexpr std::size_t kResamples = 1000;
constexpr std::size_t kFewestResamples = 100;
constexpr std::size_t kMostResampled = 200'000'000;

[[nodiscard]] double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

[[nodiscard]] Estimate around(double value, const std::optional<double>& half_width) {
  if (!half_width) return {.value = value, .low = {}, .high = {}};
  return {.value = value, .low = value - *half_width, .high = value + *half_width};
}

[[nodiscard]] std::array<Estimate*, 4> quantiles_of(LatencyFigures& figures) {
  return {&figures.p50, &figures.p90, &figures.p95, &figures.p99};
}

struct GroupedValue {
  float value = 0;
  std::uint32_t group = 0;
};

// Mean and quantiles of values in order, each counted as often as its group was drawn.
struct WeightedFigures {
  double mean = 0;
  std::array<double, 4> quantiles{};
};

[[nodiscard]] WeightedFigures weighted_figures(std::span<const GroupedValue> sorted,
                                               std::span<const std::uint32_t> weights,
                                               std::uint64_t total) {
  WeightedFigures figures;
  std::array<std::uint64_t, 4> ranks{};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(kQuantiles[i] * static_cast<double>(total))));
  }
  std::uint64_t seen = 0;
  std::size_t next = 0;
  double sum = 0;
  for (const GroupedValue& item : sorted) {
    const std::uint32_t weight = weights[item.group];
    if (weight == 0) continue;
    seen += weight;
    sum += static_cast<double>(item.value) * weight;
    while (next < ranks.size() && seen >= ranks[next]) {
      figures.quantiles[next++] = static_cast<double>(item.value);
    }
  }
  figures.mean = sum / static_cast<double>(total);
  return figures;
}

void set_percentile_interval(Estimate& estimate, std::vector<double>& resampled) {
  std::ranges::sort(resampled);
  estimate.low = quantile_of_sorted(resampled, kTail);
  estimate.high = quantile_of_sorted(resampled, 1 - kTail);
}

void add_bootstrap(LatencyFigures& figures, std::span<const GroupedValue> sorted,
                   std::span<const std::span<const float>> groups, std::uint64_t seed) {
  const std::size_t resamples =
      std::clamp(kMostResampled / sorted.size(), kFewestResamples, kResamples);
  std::array<std::vector<double>, 4> quantiles;
  std::vector<double> means;
  RandomBits random(seed);
  std::vector<std::uint32_t> weights(groups.size());
  for (std::size_t i = 0; i < resamples; ++i) {
    std::ranges::fill(weights, 0U);
    std::uint64_t total = 0;
    for (std::size_t draw = 0; draw < groups.size(); ++draw) {
      const std::size_t group = random.below(groups.size());
      ++weights[group];
      total += groups[group].size();
    }
    if (total == 0) continue;
    const WeightedFigures drawn = weighted_figures(sorted, weights, total);
    means.push_back(drawn.mean);
    for (std::size_t q = 0; q < quantiles.size(); ++q) quantiles[q].push_back(drawn.quantiles[q]);
  }
  if (means.empty()) return;
  set_percentile_interval(figures.mean, means);
  const auto estimates = quantiles_of(figures);
  for (std::size_t q = 0; q < quantiles.size(); ++q) {
    set_percentile_interval(*estimates[q], quantiles[q]);
  }
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

RankInterval quantile_ranks(std::size_t count, double share) {
  const auto trials = static_cast<double>(count);
  RankInterval ranks{.low = 0, .high = count + 1};
  double below = 0;  // P(B < k)
  bool has_high = false;
  for (std::size_t k = 0; k <= count && !has_high; ++k) {
    // P(B < k) <= tail: rank k is low enough.
    if (below <= kTail) ranks.low = k;
    // P(B < k) >= 1 - tail: rank k is high enough.
    if (below >= 1 - kTail) {
      ranks.high = k;
      has_high = true;
    }
    const auto successes = static_cast<double>(k);
    below += std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) -
                      std::lgamma(trials - successes + 1) + successes * std::log(share) +
                      (trials - successes) * std::log1p(-share));
  }
  return ranks;
}

LatencyFigures figures_of_independent(std::vector<double> values) {
  LatencyFigures figures;
  figures.count = values.size();
  if (values.empty()) return figures;
  std::ranges::sort(values);
  figures.mean = around(mean_of(values), student_half_width(values));
  const auto estimates = quantiles_of(figures);
  for (std::size_t q = 0; q < estimates.size(); ++q) {
    const RankInterval ranks = quantile_ranks(values.size(), kQuantiles[q]);
    Estimate& estimate = *estimates[q];
    estimate.value = quantile_of_sorted(values, kQuantiles[q]);
    if (ranks.low >= 1) estimate.low = values[ranks.low - 1];
    if (ranks.high <= values.size()) estimate.high = values[ranks.high - 1];
  }
  return figures;
}

LatencyFigures figures_of_groups(std::span<const std::span<const float>> groups,
                                 std::uint64_t seed) {
  std::vector<GroupedValue> sorted;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const float value : groups[group]) {
      sorted.push_back({.value = value, .group = static_cast<std::uint32_t>(group)});
    }
  }
  LatencyFigures figures;
  figures.count = sorted.size();
  if (sorted.empty()) return figures;
  std::ranges::sort(sorted, {}, &GroupedValue::value);
  const std::vector<std::uint32_t> once(groups.size(), 1U);
  const WeightedFigures plain = weighted_figures(sorted, once, sorted.size());
  figures.mean.value = plain.mean;
  const auto estimates = quantiles_of(figures);
  for (std::size_t q = 0; q < estimates.size(); ++q) estimates[q]->value = plain.quantiles[q];
  if (groups.size() >= 2) add_bootstrap(figures, sorted, groups, seed);
  return figures;
}

Estimate estimate_of_batches(double value, std::span<const double> batches) {
  return around(value, student_half_width(batches));
}

}  // namespace autokernel::lab
