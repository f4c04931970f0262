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

TEST(Summary, HasTheMedianOfTheProcesses) {
  ledger::RunFinished odd;
  summarise({result(3), result(1), result(2)}, odd);
  EXPECT_EQ(odd.best_us, 2);
  ledger::RunFinished even;
  summarise({result(4), result(1), result(2), result(3)}, even);
  EXPECT_EQ(even.best_us, 2.5);
}

TEST(Summary, HasNoFigureOfWhatWasNotMeasured) {
  ledger::RunFinished headline;
  summarise({result(3)}, headline);
  EXPECT_EQ(headline.baseline_us, std::nullopt);
  EXPECT_EQ(headline.library_us, std::nullopt);
  EXPECT_EQ(headline.over_baseline, std::nullopt);
  EXPECT_EQ(headline.over_library, std::nullopt);
}

}  // namespace
}  // namespace autokernel::loop
