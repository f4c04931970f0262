#include "cli/compare/series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autokernel/base/probability.h"

namespace autokernel::cli {
namespace {

// Of values whose logarithms are drawn from one normal distribution.
[[nodiscard]] std::optional<Interval> interval_of(const std::vector<double>& logarithms) {
  const std::optional<double> half = student_half_width(logarithms);
  if (!half) return std::nullopt;
  const double mean = std::accumulate(logarithms.begin(), logarithms.end(), 0.0) /
                      static_cast<double>(logarithms.size());
  return Interval{std::exp(mean), std::exp(mean - *half), std::exp(mean + *half)};
}

}  // namespace

const char* spelling(OpponentKind kind) {
  switch (kind) {
    case OpponentKind::ours:
      return "ours";
    case OpponentKind::kernel:
      return "kernel";
    case OpponentKind::library:
      return "library";
  }
  return "";
}

std::optional<Interval> time_of(const Series& series) {
  std::vector<double> logarithms;
  for (const auto& median : series.medians_us)
    if (median) logarithms.push_back(std::log(*median));
  return interval_of(logarithms);
}

std::optional<Interval> ratio_of(const Series& series, const Series& other) {
  std::vector<double> logarithms;
  const std::size_t rounds = std::min(series.medians_us.size(), other.medians_us.size());
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto& mine = series.medians_us[i];
    const auto& theirs = other.medians_us[i];
    if (mine && theirs) logarithms.push_back(std::log(*mine / *theirs));
  }
  return interval_of(logarithms);
}

}  // namespace autokernel::cli
