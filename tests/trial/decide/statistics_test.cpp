#include "trial/decide/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::trial {
namespace {

using testing::DoubleNear;
using testing::Optional;

TEST(Statistics, TheMedianLiesBetweenTheMiddleTwo) { EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5); }

TEST(Statistics, OneSampleIsItsOwnMedianAndHasNoNoise) {
  const Times times = summarise({7});
  EXPECT_DOUBLE_EQ(times.median_us, 7);
  EXPECT_DOUBLE_EQ(times.p95_us, 7);
  EXPECT_DOUBLE_EQ(times.noise_pct, 0);
}

TEST(Statistics, ThePercentileIsTakenBetweenSamples) {
  std::vector<double> samples;
  for (int i = 0; i <= 100; ++i) samples.push_back(i);
  EXPECT_DOUBLE_EQ(summarise(samples).p95_us, 95);
}

TEST(Statistics, NoiseIgnoresASingleOutlier) {
  EXPECT_NEAR(summarise({99, 100, 101, 99, 101, 100, 100000}).noise_pct, 1.4826, 1e-9);
}

TEST(Statistics, SamplesKeepTheOrderInWhichTheyWereMeasured) {
  EXPECT_EQ(summarise({3, 1, 2}).samples_us, (std::vector<double>{3, 1, 2}));
}

TEST(Statistics, TheSmallestStepIsWhatTheClockCanTellApart) {
  EXPECT_THAT(smallest_step({8.224, 8.32, 8.224}, {8.256}), Optional(DoubleNear(0.032, 1e-9)));
}

TEST(Statistics, WhatRoundingMakesIsNoStep) {
  EXPECT_THAT(smallest_step({8.0, 8.0000001, 8.5}, {}), Optional(DoubleNear(0.5, 1e-3)));
}

TEST(Statistics, TimesThatAreAllTheSameHaveNoStep) {
  EXPECT_EQ(smallest_step({8, 8}, {8}), std::nullopt);
}

}  // namespace
}  // namespace autokernel::trial
