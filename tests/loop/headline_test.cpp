#include "loop/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace autokernel::loop {
namespace {

TEST(Confirmed, IsTheGeometricMean) {
  EXPECT_NEAR(confirmed({1, 4}).ratio, 2, 1e-12);
  EXPECT_NEAR(confirmed({2, 2, 2}).ratio, 2, 1e-12);
}

TEST(Confirmed, OfProcessesThatAgreeHasNoWidth) {
  EXPECT_NEAR(confirmed({2, 2, 2}).low, 2, 1e-12);
  EXPECT_NEAR(confirmed({2, 2, 2}).high, 2, 1e-12);
}

// Logarithms -0.1, 0, 0.1: standard error 0.1 / sqrt(3); Student's t with 2 degrees of freedom
// leaves 2.5 % above 4.30265.
TEST(Confirmed, HasTheIntervalOfStudentsDistribution) {
  const ledger::Confirmed result = confirmed({std::exp(-0.1), 1, std::exp(0.1)});
  const double half = 4.302653 * 0.1 / std::numbers::sqrt3;
  EXPECT_NEAR(result.ratio, 1, 1e-12);
  EXPECT_NEAR(result.low, std::exp(-half), 1e-6);
  EXPECT_NEAR(result.high, std::exp(half), 1e-6);
}

// Five processes, as `loop finish` has: t with 4 degrees of freedom is 2.776445.
TEST(Confirmed, OfFiveProcessesIsNarrowerThanOfTwo) {
  const ledger::Confirmed five =
      confirmed({std::exp(0.68), std::exp(0.69), std::exp(0.70), std::exp(0.71), std::exp(0.72)});
  const double half = 2.776445 * std::sqrt(0.001 / 4 / 5);
  EXPECT_NEAR(five.low, std::exp(0.70 - half), 1e-6);
  EXPECT_NEAR(five.high, std::exp(0.70 + half), 1e-6);
}

TEST(Confirmed, OfOneProcessIsItsValue) { EXPECT_EQ(confirmed({3}).low, confirmed({3}).high); }

trial::Result result(double best_us) {
  trial::Result one;
  one.times = trial::Times{.samples_us = {best_us}, .median_us = best_us};
  return one;
}

// Of processes that took so long at a size of that weight.
ResultsAtSize at_size(double weight, const std::vector<double>& times_us) {
  ResultsAtSize size{.size = "default", .weight = weight, .results = {}};
  for (const double time_us : times_us) size.results.push_back(result(time_us));
  return size;
}

TEST(Summary, HasTheMedianOfTheProcesses) {
  ledger::RunFinished odd;
  summarise({at_size(1, {3, 1, 2})}, odd);
  EXPECT_EQ(odd.best_us, 2);
  ledger::RunFinished even;
  summarise({at_size(1, {4, 1, 2, 3})}, even);
  EXPECT_EQ(even.best_us, 2.5);
}

TEST(Summary, OfSeveralSizesIsTheirWeightedGeometricMean) {
  ledger::RunFinished headline;
  summarise({at_size(1, {16}), at_size(3, {1})}, headline);
  EXPECT_DOUBLE_EQ(headline.best_us.value_or(0), 2);
}

TEST(Summary, HasTheRatiosOfSeveralSizes) {
  std::vector<ResultsAtSize> sizes = {at_size(1, {1, 1, 1}), at_size(1, {1, 1, 1})};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t process = 0; process < 3; ++process) {
      // Four times as fast at one size, as fast at the other, a little more in some processes.
      const double ratio = (i == 0 ? 4 : 1) * (1 + 0.01 * static_cast<double>(process));
      trial::PairedComparison& comparison = sizes[i].results[process].comparison.emplace();
      comparison.gain = 1 - 1 / ratio;
    }
  }
  ledger::RunFinished headline;
  summarise(sizes, headline);
  const ledger::Confirmed both = headline.over_baseline.value_or(ledger::Confirmed{});
  EXPECT_NEAR(both.ratio, 2 * 1.01, 1e-3);
  // Narrower than at one size alone, as the errors of two are independent.
  const ledger::Confirmed one = confirmed({1, 1.01, 1.02});
  EXPECT_NEAR(std::log(both.high / both.ratio), std::log(one.high / one.ratio) / std::sqrt(2),
              1e-6);
}

TEST(Summary, HasNoFigureOfWhatWasNotMeasured) {
  ledger::RunFinished headline;
  summarise({at_size(1, {3})}, headline);
  EXPECT_EQ(headline.baseline_us, std::nullopt);
  EXPECT_EQ(headline.library_us, std::nullopt);
  EXPECT_EQ(headline.over_baseline, std::nullopt);
  EXPECT_EQ(headline.over_library, std::nullopt);
}

}  // namespace
}  // namespace autokernel::loop
