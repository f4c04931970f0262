#include "autokernel/trial/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace autokernel::trial {
namespace {

constexpr double kMinGain = 0.005;
constexpr double kThreshold = 0.00501254182354428;  // -log(1 - 0.005)

PairedEstimate of(int pairs, double mean, double standard_error) {
  return {.pairs = pairs, .mean = mean, .standard_error = standard_error, .values = pairs};
}

// As many as asked for, one half above the mean and one below, in turn.
std::vector<double> alternating(int count, double mean, double deviation) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values.push_back(mean + (i % 2 == 0 ? deviation : -deviation));
  return values;
}

// The same values, but the first half of every `length` above the mean and the second below.
std::vector<double> in_runs(int count, int length, double mean, double deviation) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    values.push_back(mean + (i % length < length / 2 ? deviation : -deviation));
  return values;
}

TEST(Estimate, OfTwoPairsIsTheirMeanAndHalfTheirDifference) {
  const PairedEstimate two = estimate(std::vector<double>{0.01, 0.03});
  EXPECT_EQ(two.pairs, 2);
  EXPECT_DOUBLE_EQ(two.mean, 0.02);
  EXPECT_DOUBLE_EQ(two.standard_error, 0.01);
  EXPECT_EQ(two.values, 2);
}

TEST(Estimate, OfPairsThatAreNotAlikeHasThePlainStandardError) {
  const PairedEstimate plain = estimate(alternating(50, 0.01, 0.002));
  EXPECT_NEAR(plain.mean, 0.01, 1e-15);
  // Of fifty, forty count; nothing is known of the others but that they lie no nearer.
  EXPECT_NEAR(plain.standard_error, 0.002 / std::sqrt(49) * 50 / 40, 1e-12);
  EXPECT_EQ(plain.values, 40);
}

TEST(Estimate, OfPairsThatComeInRunsHasThatOfTheRuns) {
  // Sixteen runs of eight: batches of four are all above or all below, 32 of them.
  const PairedEstimate runs = estimate(in_runs(128, 8, 0.01, 0.002));
  EXPECT_NEAR(runs.mean, 0.01, 1e-15);
  EXPECT_NEAR(runs.standard_error, 0.002 / std::sqrt(31) * 128 / 104, 1e-12);
  EXPECT_EQ(runs.values, 32);
}

TEST(Estimate, TriesLongerBatchesWhereThereAreMorePairs) {
  // 32 runs of 64: of batches of 32 there are 64, all above or all below.
  const PairedEstimate runs = estimate(in_runs(2048, 64, 0, 0.002));
  EXPECT_NEAR(runs.standard_error, 0.002 / std::sqrt(63) * 2048 / 1640, 1e-12);
  EXPECT_EQ(runs.values, 64);
}

TEST(Estimate, IsNotMovedByAFewLaunchesThatWereDisturbed) {
  std::vector<double> values = alternating(100, 0.01, 0.002);
  for (std::size_t i = 0; i < 8; ++i) values[12 * i] = 0.7;
  const PairedEstimate found = estimate(values);
  EXPECT_NEAR(found.mean, 0.01, 0.0005);
  EXPECT_LT(found.standard_error, 0.0005);
}

TEST(Estimate, CountsAKernelThatIsSlowInEveryFifthLaunch) {
  std::vector<double> values = alternating(100, 0.05, 0.002);
  for (std::size_t i = 0; i < 20; ++i) values[5 * i] = -1;
  EXPECT_LT(estimate(values).mean, 0);
}

TEST(Estimate, IsNotMadeSurerByPairsThatBalanceEachOther) {
  // Batches of two all have the same mean; the standard error stays that of the pairs.
  EXPECT_GT(estimate(alternating(2000, 0, 0.01)).standard_error, 0.0002);
}

TEST(Gain, ATenthLessTimeIsALogarithmOfTenNinths) {
  EXPECT_DOUBLE_EQ(log_ratio_of(0.1), std::log(1 / 0.9));
  EXPECT_DOUBLE_EQ(gain_of(std::log(1 / 0.9)), 0.1);
}

TEST(Gain, OfASlowerKernelIsNegative) { EXPECT_DOUBLE_EQ(gain_of(std::log(0.5)), -1); }

TEST(Gain, ComesBackFromItsLogarithm) { EXPECT_DOUBLE_EQ(gain_of(log_ratio_of(1e-9)), 1e-9); }

TEST(Conclude, FasterWhereThePrecisionIsEnoughAndTheGainIsThere) {
  EXPECT_EQ(conclude(of(200, 1.2 * kThreshold, kThreshold / 5), kMinGain), Conclusion::faster);
}

TEST(Conclude, NotFasterWhereThePrecisionIsEnoughAndTheGainTooSmall) {
  EXPECT_EQ(conclude(of(200, 0.99 * kThreshold, kThreshold / 5), kMinGain), Conclusion::not_faster);
}

TEST(Conclude, UndecidedWhereTheGainIsNearAndThePrecisionNotEnough) {
  EXPECT_EQ(conclude(of(200, 0.99 * kThreshold, kThreshold / 4.9), kMinGain),
            Conclusion::undecided);
}

TEST(Conclude, ALargeGainNeedsLittlePrecision) {
  EXPECT_EQ(conclude(of(50, 0.3, 0.03), kMinGain), Conclusion::faster);
}

TEST(Conclude, FourStandardErrorsAreNotEnoughForAGain) {
  EXPECT_EQ(conclude(of(2000, 4 * kThreshold, kThreshold), kMinGain), Conclusion::undecided);
}

TEST(Conclude, ASlowerKernelNeedsLittlePrecision) {
  EXPECT_EQ(conclude(of(50, -0.3, 0.03), kMinGain), Conclusion::not_faster);
}

TEST(Conclude, AnEstimateFarBelowTheThresholdNeedsLittlePrecision) {
  EXPECT_EQ(conclude(of(2000, 0, kThreshold / 3.2), kMinGain), Conclusion::not_faster);
  EXPECT_EQ(conclude(of(2000, 0, kThreshold / 3), kMinGain), Conclusion::undecided);
}

TEST(Conclude, FewBatchesHaveToShowMore) {
  PairedEstimate batches = of(50, 7 * kThreshold, kThreshold);
  EXPECT_EQ(conclude(batches, kMinGain), Conclusion::faster);
  batches.values = 12;
  EXPECT_EQ(conclude(batches, kMinGain), Conclusion::undecided);
}

TEST(Conclude, NothingFromLessThanTenPairs) {
  EXPECT_EQ(conclude(of(9, 1, 1e-6), kMinGain), Conclusion::undecided);
  EXPECT_EQ(conclude(of(9, -1, 1e-6), kMinGain), Conclusion::undecided);
  EXPECT_EQ(conclude(of(10, 1, 1e-6), kMinGain), Conclusion::faster);
  EXPECT_EQ(conclude(of(10, -1, 1e-6), kMinGain), Conclusion::not_faster);
}

TEST(Conclude, DoesNotTrustTheSmallStandardErrorOfAFewPairs) {
  EXPECT_EQ(conclude(of(49, 0.9 * kThreshold, kThreshold / 20), kMinGain), Conclusion::undecided);
  EXPECT_EQ(conclude(of(50, 0.9 * kThreshold, kThreshold / 20), kMinGain), Conclusion::not_faster);
}

TEST(Conclude, TimesThatAreAllTheSameAreNoObstacle) {
  EXPECT_EQ(conclude(estimate(alternating(50, 0.01, 0)), kMinGain), Conclusion::faster);
  EXPECT_EQ(conclude(estimate(alternating(50, 0, 0)), kMinGain), Conclusion::not_faster);
}

TEST(IsAsFast, WhereTheLowerBoundIsAboveTheThreshold) {
  EXPECT_TRUE(is_as_fast(of(200, 0, kThreshold / 5), kMinGain));
  EXPECT_TRUE(is_as_fast(of(200, 0.1, kThreshold / 5), kMinGain));
}

TEST(IsAsFast, NotWhereItMayBeSlower) {
  EXPECT_FALSE(is_as_fast(of(200, -0.5 * kThreshold, kThreshold / 5), kMinGain));
  EXPECT_FALSE(is_as_fast(of(200, 0, kThreshold / 3), kMinGain));
}

TEST(IsAsFast, NotByNinePairs) { EXPECT_FALSE(is_as_fast(of(9, 0.1, 1e-6), kMinGain)); }

TEST(Looks, BeginAtFiftyAndEndAtTwoThousandAfterADozen) {
  std::vector<int> looks;
  for (int pairs = next_look(0); pairs < kMostPairs; pairs = next_look(pairs))
    looks.push_back(pairs);
  EXPECT_THAT(looks, testing::ElementsAre(50, 70, 98, 138, 194, 272, 381, 534, 748, 1048, 1468));
  EXPECT_EQ(next_look(1468), kMostPairs);
}

TEST(Looks, OfASampleThatWasCutShortGoOnFromThere) {
  EXPECT_EQ(next_look(17), 50);
  EXPECT_EQ(next_look(100), 140);
}

TEST(Interval, HoldsNineteenTwentiethsOfStudentsDistribution) {
  // The 97.5 % quantile for 49 degrees of freedom is 2.0096.
  const Interval bounds = interval(of(50, 0.01, 0.001));
  EXPECT_NEAR(bounds.low, 0.01 - 0.0020096, 1e-7);
  EXPECT_NEAR(bounds.high, 0.01 + 0.0020096, 1e-7);
}

TEST(PValue, IsThatOfStudentsDistribution) {
  // The 99.9 % quantile for 49 degrees of freedom is 3.2651.
  EXPECT_NEAR(p_value(of(50, 0.0032651, 0.001)), 0.001, 1e-6);
}

TEST(PValue, IsOneHalfWhereThereIsNoDifference) {
  EXPECT_DOUBLE_EQ(p_value(of(50, 0, 0.001)), 0.5);
  EXPECT_DOUBLE_EQ(p_value(of(50, 0, 0)), 0.5);
}

TEST(PValue, OfTheSameRatioEachTimeIsNoneOrAll) {
  EXPECT_DOUBLE_EQ(p_value(of(50, 0.01, 0)), 0);
  EXPECT_DOUBLE_EQ(p_value(of(50, -0.01, 0)), 1);
}

}  // namespace
}  // namespace autokernel::trial
