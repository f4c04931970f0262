// The arithmetic of `autokernel noise`, on recordings whose answers are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "autokernel/trial/decision.h"
#include "autokernel/trial/noise.h"
#include "support/present.h"
#include "trial/decide/simulated_pairs.h"

namespace autokernel::trial {
namespace {

using test::present;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr double kNoise = 0.01;
constexpr double kMinGain = 0.005;

// Pairs that have nothing to do with each other, 10 ms each.
NoiseRecording normal_noise(int pairs, double deviation = kNoise) {
  std::mt19937_64 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> normal(0, deviation);
  NoiseRecording recording;
  for (int i = 0; i < pairs; ++i) {
    recording.log_ratios.push_back(normal(random));
    recording.times_us.push_back(100);
  }
  recording.seconds = 0.01 * pairs;
  recording.most_pairs = most_pairs_of_a_comparison();
  recording.longest_seconds = 20;
  return recording;
}

TEST(NoiseFigures, OfNormalNoiseAreItsDeviationAndThatOfItsMean) {
  const NoiseFigures figures = figures_of(normal_noise(4000), kMinGain);
  EXPECT_EQ(figures.pairs, 4000);
  EXPECT_DOUBLE_EQ(figures.pair_seconds, 0.01);
  EXPECT_NEAR(figures.pair_noise, kNoise, 0.05 * kNoise);
  // The largest of several standard errors counts, and a tenth at each end is left out.
  EXPECT_GE(figures.mean_noise, 0.95 * kNoise / std::sqrt(4000));
  EXPECT_LE(figures.mean_noise, 1.6 * kNoise / std::sqrt(4000));
}

TEST(NoiseFigures, OfAKernelThatIsTheSameHoldNoFalseKeep) {
  const NoiseFigures figures = figures_of(normal_noise(2000), kMinGain);
  EXPECT_EQ(figures.decisions, 3000);
  EXPECT_EQ(figures.false_keeps, 0);
}

// Something moves one of the two for hundreds of pairs in a row, which no rule sees through.
TEST(NoiseFigures, OfPairsThatAreAlikeForLongHoldFalseKeeps) {
  NoiseRecording recording = normal_noise(4000, 0.002);
  for (std::size_t i = 0; i < recording.log_ratios.size(); ++i) {
    recording.log_ratios[i] += i / 400 % 2 == 0 ? 0.03 : -0.03;
  }
  EXPECT_GT(figures_of(recording, kMinGain).false_keeps, 0);
}

TEST(NoiseFigures, AreTheSameEachTime) {
  EXPECT_EQ(figures_of(normal_noise(500), kMinGain), figures_of(normal_noise(500), kMinGain));
}

// The gain that is said to be found is put on pairs that the figures have not seen.
TEST(NoiseFigures, TheGainThatIsFoundIsFound95TimesIn100) {
  const NoiseRecording recording = normal_noise(4000);
  const NoiseFigures figures = figures_of(recording, kMinGain);
  const double gain = present(figures.reach[0].gain);
  std::mt19937_64 random(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> normal(log_ratio_of(gain), kNoise);
  constexpr int kTrials = 2000;
  int found = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<double> pairs;
    pairs.reserve(100);
    for (int n = 0; n < 100; ++n) pairs.push_back(normal(random));
    // A minimum gain far below, so that it does not come into it.
    found += conclude(estimate(pairs), gain / 100) == Conclusion::faster ? 1 : 0;
  }
  EXPECT_GE(found, 0.90 * kTrials);
  EXPECT_LE(found, 0.98 * kTrials);
}

TEST(NoiseFigures, TheGainThatIsFoundFallsWithTheRootOfTheTime) {
  const NoiseFigures figures = figures_of(normal_noise(4000), kMinGain);
  const double in_1s = present(figures.reach[0].gain);
  const double in_5s = present(figures.reach[1].gain);
  // Small samples have further tails, so that it falls by more.
  EXPECT_GT(in_1s / in_5s, std::sqrt(5.0) * 0.9);
  EXPECT_LT(in_1s / in_5s, std::sqrt(5.0) * 2);
  // In both 2,000 pairs fit.
  EXPECT_NEAR(present(figures.reach[2].gain), present(figures.longest.gain), 0.1 * in_5s);
}

TEST(NoiseFigures, TheGainThatIsFoundIsProportionalToTheNoise) {
  const double quiet = present(figures_of(normal_noise(1000, 0.001), kMinGain).reach[1].gain);
  const double loud = present(figures_of(normal_noise(1000, 0.003), kMinGain).reach[1].gain);
  EXPECT_NEAR(loud / quiet, 3, 0.05);
}

TEST(NoiseFigures, NothingIsFoundWithoutTimeForTheFewestPairs) {
  NoiseRecording recording = normal_noise(100);
  recording.seconds = 20;  // 0.2 s a pair
  const NoiseFigures figures = figures_of(recording, kMinGain);
  EXPECT_FALSE(figures.reach[0].gain);
  EXPECT_TRUE(figures.reach[1].gain);
}

TEST(NoiseFigures, PairsForWhichThereIsNoMemoryFindNothing) {
  NoiseRecording recording = normal_noise(1000);
  recording.most_pairs = 50;
  const NoiseFigures figures = figures_of(recording, kMinGain);
  EXPECT_NEAR(present(figures.reach[1].gain), present(figures.reach[0].gain),
              0.15 * present(figures.reach[0].gain));
}

TEST(NoiseFigures, DriftIsHowFarTheSlowestTenthLiesAboveTheFastest) {
  NoiseRecording recording = normal_noise(100);
  EXPECT_EQ(figures_of(recording, kMinGain).drift, 0);
  for (std::size_t i = 0; i < 10; ++i) recording.times_us[40 + i] = 125;
  recording.times_us[0] = 1000;  // one of ten does not move a median
  EXPECT_DOUBLE_EQ(figures_of(recording, kMinGain).drift, 0.25);
}

TEST(NoiseFigures, OfTimesThatAreAllTheSameAreNoNoise) {
  NoiseRecording recording = normal_noise(100);
  recording.log_ratios.assign(100, 0.0);
  const NoiseFigures figures = figures_of(recording, kMinGain);
  EXPECT_EQ(figures.pair_noise, 0);
  EXPECT_EQ(figures.mean_noise, 0);
  EXPECT_EQ(figures.false_keeps, 0);
  EXPECT_THAT(figures.reach[0].gain, Optional(0.0));
}

DeviceNoise noise_that_finds(std::optional<double> gain) {
  return {.device = "a GPU",
          .driver_version = "13.0",
          .pair_error = 0.02,
          .pair_seconds = 0.01,
          .detectable_gain = gain};
}

TEST(OutOfReach, IsAMinGainOfLessThanAFourteenthTenthOfWhatIsFound) {
  EXPECT_THAT(out_of_reach(noise_that_finds(0.0279), 0.02), IsEmpty());
  EXPECT_THAT(out_of_reach(noise_that_finds(0.07), 0.02),
              HasSubstr("2 % is mostly too small to be detected; --min-gain 5 is detectable"));
}

TEST(OutOfReach, IsEveryGainWhereThereIsNoTimeForPairs) {
  EXPECT_THAT(out_of_reach(noise_that_finds({}), 0.5), HasSubstr("choose a smaller size"));
}

TEST(SecondsToLookFaster, AreThoseAfterWhichAGainLiesAboveTheLeastOne95TimesIn100) {
  const DeviceNoise noise = noise_that_finds(0.02);
  const double seconds = present(seconds_to_look_faster(noise, 0.02, 20));
  const double margin = log_ratio_of(0.028) - log_ratio_of(0.02);
  const double error = noise.pair_error / std::sqrt(seconds / noise.pair_seconds);
  EXPECT_THAT(margin / error, testing::DoubleNear(1.645, 1e-9));
  EXPECT_FALSE(seconds_to_look_faster(noise, 0.02, seconds / 2));
}

TEST(SecondsToLookFaster, AreNoneWhereNoComparisonHasSoManyPairs) {
  DeviceNoise noise = noise_that_finds(0.02);
  noise.pair_error = 1;
  noise.pair_seconds = 1e-6;
  EXPECT_FALSE(seconds_to_look_faster(noise, 0.02, 20));
}

TEST(DeviceNoise, HasTheErrorOfOnePair) {
  const NoiseFigures figures = figures_of(normal_noise(400), kMinGain);
  const DeviceNoise noise = device_noise(figures, "a GPU", "13.0");
  EXPECT_THAT(noise.pair_error, DoubleEq(figures.mean_noise * 20));
  EXPECT_EQ(noise.detectable_gain, figures.longest.gain);
}

}  // namespace
}  // namespace autokernel::trial
