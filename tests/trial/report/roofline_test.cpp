#include "autokernel/trial/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::trial {
namespace {

using testing::DoubleEq;
using testing::FieldsAre;
using testing::Optional;

// 10 us of arithmetic and 2 us of memory traffic at least, done in 40 us.
Result measured() {
  Result result;
  result.times = Times{.samples_us = {40}, .median_us = 40, .p95_us = 40, .noise_pct = 0};
  result.flops = 1e9;
  result.bytes = 2e6;
  result.peak_tflops = 100;
  result.peak_gbytes_s = 1000;
  return result;
}

TEST(Roofline, OfMuchArithmeticIsBoundByCompute) {
  EXPECT_THAT(roofline(measured()), Optional(FieldsAre(Bound::compute, DoubleEq(25))));
}

TEST(Roofline, OfMuchTrafficIsBoundByMemory) {
  Result result = measured();
  result.bytes = 20e6;
  EXPECT_THAT(roofline(result), Optional(FieldsAre(Bound::memory, DoubleEq(50))));
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
}  // namespace autokernel::trial
