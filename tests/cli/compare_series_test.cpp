#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cli/compare/series.h"

namespace autokernel::cli {
namespace {

[[nodiscard]] Series with(std::vector<std::optional<double>> medians) {
  return {.label = "kernel.cu",
          .kind = OpponentKind::kernel,
          .version = {},
          .configuration = {},
          .medians_us = std::move(medians),
          .refused = {},
          .exit_code = 0,
          .unit = {},
          .max_abs_err = {}};
}

TEST(ComparisonSeries, TimeIsTheGeometricMeanWithStudentsInterval) {
  const Interval time = time_of(with({2.0, 8.0, 4.0})).value_or(Interval{});
  EXPECT_NEAR(time.value, 4, 1e-12);
  // Logarithms of base 2: 1, 2, 3; their deviation is 1, and t of two degrees is 4.3027 at 97.5 %.
  const double margin = 4.30265272975 * 1 / std::numbers::sqrt3;
  EXPECT_NEAR(std::log2(time.high / time.value), margin, 1e-9);
  EXPECT_NEAR(std::log2(time.value / time.low), margin, 1e-9);
}

TEST(ComparisonSeries, RatioIsOfTheRoundsThatBothHave) {
  // What disturbs a round disturbs both, and leaves their ratio.
  const Series ours = with({1.0, 10.0, 3.0});
  const Interval ratio = ratio_of(with({2.0, 20.0, std::nullopt}), ours).value_or(Interval{});
  EXPECT_NEAR(ratio.value, 2, 1e-12);
  EXPECT_NEAR(ratio.low, 2, 1e-9);
  EXPECT_NEAR(ratio.high, 2, 1e-9);
}

TEST(ComparisonSeries, OneRoundSaysNothing) {
  EXPECT_FALSE(time_of(with({3.0})));
  EXPECT_FALSE(time_of(with({})));
  EXPECT_FALSE(ratio_of(with({3.0, std::nullopt}), with({std::nullopt, 3.0})));
}

}  // namespace
}  // namespace autokernel::cli
