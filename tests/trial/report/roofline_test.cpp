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

TEST(Roofline, OfAUnitIsTheShareOfItsPeak) {
  Result result = measured();
  result.unit = driver::Unit::tensor_tf32;
  result.unit_tflops = 200;
  EXPECT_THAT(unit_roof(result),
              Optional(FieldsAre(driver::Unit::tensor_tf32, Optional(DoubleEq(200)),
                                 Optional(DoubleEq(12.5)))));
}

TEST(Roofline, OfAUnitHasNoFiguresWhereItsPeakIsUnknown) {
  Result result = measured();
  EXPECT_FALSE(unit_roof(result));
  result.unit = driver::Unit::dp4a;
  EXPECT_THAT(unit_roof(result),
              Optional(FieldsAre(driver::Unit::dp4a, std::nullopt, std::nullopt)));
}

// The least time is 10 us.
[[nodiscard]] std::optional<double> score(double median_us, double reference_us) {
  Result result = measured();
  result.times = Times{.samples_us = {}, .median_us = median_us, .p95_us = 0, .noise_pct = 0};
  result.reference =
      Times{.samples_us = {}, .median_us = reference_us, .p95_us = 0, .noise_pct = 0};
  return sol_score(result);
}

TEST(SolScore, IsOneAtTheLeastTimeAndHalfAtTheReference) {
  EXPECT_THAT(score(10, 40), Optional(DoubleEq(1)));
  EXPECT_THAT(score(40, 40), Optional(DoubleEq(0.5)));
  EXPECT_THAT(score(20, 40), Optional(DoubleEq(0.75)));
  EXPECT_THAT(score(100, 40), Optional(DoubleEq(0.25)));
}

TEST(SolScore, IsAtMostOne) { EXPECT_THAT(score(5, 40), Optional(DoubleEq(1))); }

TEST(SolScore, DoesNotExistWhereTheReferenceIsAsFastAsCanBe) {
  EXPECT_FALSE(score(20, 10));
  EXPECT_FALSE(score(20, 9));
}

TEST(SolScore, DoesNotExistWithoutAReferenceOrAPeak) {
  Result result = measured();
  EXPECT_FALSE(sol_score(result));
  result.reference = result.times;
  result.peak_gbytes_s.reset();
  EXPECT_FALSE(sol_score(result));
}

TEST(Roofline, IsUnknownWithoutTimes) {
  Result result = measured();
  result.times.reset();
  EXPECT_FALSE(roofline(result));
}

}  // namespace
}  // namespace autokernel::trial
