#include "autokernel/ledger/figure_text.h"

#include <gtest/gtest.h>

namespace autokernel::ledger {
namespace {

const std::optional<MetricValue> kTimeOfAKernel;
const std::optional<MetricValue> kMoreIsBetter =
    MetricValue{.name = "score", .unit = "points", .higher_is_better = true, .value = 0};
const std::optional<MetricValue> kFewerIsBetter =
    MetricValue{.name = "n", .unit = "", .higher_is_better = false, .value = 0};

TEST(FigureText, HasTheUnitOfWhatIsMeasured) {
  EXPECT_EQ(figure_text(60, kTimeOfAKernel), "60.000 us");
  EXPECT_EQ(figure_text(8285, kMoreIsBetter), "score 8285 points");
  EXPECT_EQ(figure_text(60, kFewerIsBetter), "n 60");
}

TEST(FigureText, SaysHowAMetricChanges) {
  EXPECT_EQ(gain_text(0.1429, kTimeOfAKernel), "14.29 % less time than before");
  EXPECT_EQ(gain_text(0.75, kMoreIsBetter), "+300.00 %");
  EXPECT_EQ(gain_text(-0.25, kMoreIsBetter), "-20.00 %");
  EXPECT_EQ(gain_text(0.4, kFewerIsBetter), "-40.00 %");
  EXPECT_EQ(gain_text(-0.1, kFewerIsBetter), "+10.00 %");
}

TEST(FigureText, ComparesWithTheBaseline) {
  EXPECT_EQ(over_baseline_text(1.667, kTimeOfAKernel), "1.667 times as fast as the baseline");
  EXPECT_EQ(over_baseline_text(4.153, kMoreIsBetter), "4.153 times the baseline");
  EXPECT_EQ(over_baseline_text(2, kFewerIsBetter), "0.500 times the baseline");
}

}  // namespace
}  // namespace autokernel::ledger
