#include "lab/load/intervals.h"

#include <gmock/gmock.h>

#include <cmath>

#include "lab/random_bits.h"
#include "support/present.h"

namespace autokernel::lab {
namespace {

using test::present;
using testing::Optional;

TEST(Quantile, IsTheValueOfItsRank) {
  const std::vector<double> values = {1, 2, 3, 4};
  EXPECT_EQ(quantile_of_sorted(values, 0.5), 2);
  EXPECT_EQ(quantile_of_sorted(values, 0.51), 3);
  EXPECT_EQ(quantile_of_sorted(values, 0.99), 4);
  EXPECT_EQ(quantile_of_sorted(values, 0.01), 1);
}

// From tables of the binomial distribution: Hahn and Meeker, Statistical Intervals.
TEST(QuantileRanks, AreThoseOfTables) {
  const RankInterval median = quantile_ranks(100, 0.5);
  EXPECT_EQ(median.low, 40U);
  EXPECT_EQ(median.high, 61U);
  const RankInterval small = quantile_ranks(6, 0.5);
  EXPECT_EQ(small.low, 1U);
  EXPECT_EQ(small.high, 6U);
}

TEST(QuantileRanks, LeaveOutAnEndThatTooFewValuesHave) {
  EXPECT_EQ(quantile_ranks(5, 0.5).low, 0U);
  EXPECT_EQ(quantile_ranks(5, 0.5).high, 6U);
  // 0.99^n <= 0.025 for n of 368 or more.
  EXPECT_EQ(quantile_ranks(367, 0.99).high, 368U);
  EXPECT_LE(quantile_ranks(368, 0.99).high, 368U);
}

TEST(QuantileRanks, AreFoundForManyValues) {
  const RankInterval ranks = quantile_ranks(100'000, 0.99);
  // The normal approximation: 99000 +- 1.96 sqrt(990).
  EXPECT_NEAR(static_cast<double>(ranks.low), 98938, 3);
  EXPECT_NEAR(static_cast<double>(ranks.high), 99063, 3);
}

TEST(IndependentFigures, HaveStudentsIntervalOfTheMean) {
  const LatencyFigures figures = figures_of_independent({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(figures.mean.value, 3);
  // 2.776 sqrt(2.5 / 5)
  EXPECT_NEAR(present(figures.mean.low), 3 - 1.963, 0.001);
  EXPECT_NEAR(present(figures.mean.high), 3 + 1.963, 0.001);
}

TEST(IndependentFigures, HaveNoIntervalOfOneValue) {
  const LatencyFigures figures = figures_of_independent({7});
  EXPECT_EQ(figures.count, 1U);
  EXPECT_EQ(figures.p99.value, 7);
  EXPECT_FALSE(figures.mean.low);
  EXPECT_FALSE(figures.p50.high);
}

TEST(IndependentFigures, OfNothingAreEmpty) { EXPECT_EQ(figures_of_independent({}).count, 0U); }

// Of known distributions, the interval holds the true value about 95 times in 100.
TEST(IndependentFigures, CoverTheTruth) {
  constexpr int kRuns = 1000;
  RandomBits random(1);
  int mean_covered = 0;
  int p90_covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values;
    for (int i = 0; i < 100; ++i) values.push_back(random.exponential());
    const LatencyFigures figures = figures_of_independent(values);
    if (figures.mean.low <= 1 && figures.mean.high >= 1) ++mean_covered;
    const double p90 = std::log(10);
    if (figures.p90.low <= p90 && present(figures.p90.high) >= p90) ++p90_covered;
  }
  EXPECT_GT(mean_covered, 920);  // the mean of a skewed distribution is covered a little less often
  EXPECT_GT(p90_covered, 935);
}

TEST(GroupedFigures, AreOfAllValues) {
  const std::vector<float> one = {1, 3};
  const std::vector<float> other = {2, 4};
  const std::vector<std::span<const float>> groups = {one, other};
  const LatencyFigures figures = figures_of_groups(groups, 1);
  EXPECT_EQ(figures.count, 4U);
  EXPECT_DOUBLE_EQ(figures.mean.value, 2.5);
  EXPECT_DOUBLE_EQ(figures.p50.value, 2);
  EXPECT_DOUBLE_EQ(figures.p99.value, 4);
}

TEST(GroupedFigures, HaveNoIntervalOfOneGroup) {
  const std::vector<float> one = {1, 3};
  const std::vector<std::span<const float>> groups = {one};
  EXPECT_FALSE(figures_of_groups(groups, 1).mean.low);
}

// Values that are the same throughout a group: only the number of groups counts.
TEST(GroupedFigures, CoverTheTruthAlthoughValuesOfAGroupAreAlike) {
  constexpr int kRuns = 200;
  RandomBits random(2);
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<std::vector<float>> values;
    for (int group = 0; group < 40; ++group) {
      values.emplace_back(20, static_cast<float>(random.normal()));
    }
    const std::vector<std::span<const float>> groups(values.begin(), values.end());
    const LatencyFigures figures = figures_of_groups(groups, 3);
    if (present(figures.mean.low) <= 0 && present(figures.mean.high) >= 0) ++covered;
  }
  EXPECT_GT(covered, 175);
}

TEST(Batches, HaveAnIntervalAroundTheRateOfTheWhole) {
  const std::vector<double> batches = {9, 10, 11};
  const Estimate estimate = estimate_of_batches(10.1, batches);
  EXPECT_DOUBLE_EQ(estimate.value, 10.1);
  // 4.303 / sqrt(3)
  EXPECT_NEAR(present(estimate.low), 10.1 - 2.484, 0.001);
}

}  // namespace
}  // namespace autokernel::lab
