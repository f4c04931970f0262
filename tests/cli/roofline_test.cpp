#include "cli/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::cli {
namespace {

using trial::Result;

// 10 us of arithmetic and 2 us of memory traffic at least, done in 40 us.
Result measured() {
  Result result;
  result.times = trial::Times{.samples_us = {40}, .median_us = 40, .p95_us = 40, .noise_pct = 0};
  result.flops = 1e9;
  result.bytes = 2e6;
  result.peak_tflops = 100;
  result.peak_gbytes_s = 1000;
  return result;
}

TEST(Roofline, OfMuchArithmeticIsBoundByCompute) {
  const auto roof = roofline(measured());
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->bound, Bound::compute);
  EXPECT_DOUBLE_EQ(roof->peak_pct, 25);
}

TEST(Roofline, OfMuchTrafficIsBoundByMemory) {
  Result result = measured();
  result.bytes = 20e6;
  const auto roof = roofline(result);
  ASSERT_TRUE(roof);
  EXPECT_EQ(roof->bound, Bound::memory);
  EXPECT_DOUBLE_EQ(roof->peak_pct, 50);
}

TEST(Roofline, IsUnknownWithoutTheDevicesLimits) {
  Result result = measured();
  result.peak_tflops.reset();
  EXPECT_FALSE(roofline(result));
}

TEST(Roofline, IsUnknownWithoutTimes) {
  Result result = measured();
  result.times.reset();
  EXPECT_FALSE(roofline(result));
}

}  // namespace
}  // namespace autokernel::cli
