#include "cli/compare/comparison_bars.h"

#include <gmock/gmock.h>

#include "cli/compare/triton_tuning.h"

namespace autokernel::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

[[nodiscard]] Series named(const std::string& label, OpponentKind kind,
                           const std::string& configuration = {}) {
  return {.label = label,
          .kind = kind,
          .version = {},
          .configuration = configuration,
          .medians_us = {2.0, 2.0},
          .refused = {},
          .exit_code = 0,
          .unit = {},
          .max_abs_err = {}};
}

[[nodiscard]] Comparison compared(const std::string& size, std::vector<Series> series) {
  Comparison comparison;
  comparison.size = size;
  comparison.problem = "softmax at " + size;
  comparison.flops = 5e6;
  comparison.bytes = 4e6;
  comparison.series = std::move(series);
  comparison.rounds = 2;
  return comparison;
}

[[nodiscard]] std::vector<std::string> labels_of(const Comparison& comparison) {
  std::vector<std::string> labels;
  const plot::Bars bars = bars_of("Softmax", {comparison}).value_or(plot::Bars{});
  for (const plot::BarGroup& group : bars.groups) {
    for (const plot::Bar& bar : group.bars) labels.push_back(bar.label);
  }
  return labels;
}

TEST(ComparisonBars, EachHasALabelOfItsOwn) {
  EXPECT_THAT(
      labels_of(compared(
          "check",
          {named("kernel.cu", OpponentKind::ours),
           named("k/kernel.cu (ours)", OpponentKind::kernel),
           named("a/kernel.cu", OpponentKind::kernel), named("b/kernel.cu", OpponentKind::kernel),
           named("tries/other.cu", OpponentKind::kernel), named("folder/", OpponentKind::kernel),
           named("HEAD", OpponentKind::kernel), named("HEAD", OpponentKind::kernel)})),
      ElementsAre("kernel.cu (ours)", "k/kernel.cu (ours)", "a/kernel.cu", "b/kernel.cu",
                  "other.cu", "folder/", "HEAD", "HEAD (2)"));
  EXPECT_THAT(labels_of(compared(
                  "check", {named("kernel.cu", OpponentKind::ours),
                            named("cuBLASLt 13.1", OpponentKind::library, "its first choice, x"),
                            named("CUTLASS 128x128", OpponentKind::library),
                            named("CUTLASS 256x128", OpponentKind::library)})),
              ElementsAre("kernel.cu (ours)", "cuBLASLt, its first choice", "CUTLASS 128x128",
                          "CUTLASS 256x128"));
}

TEST(ComparisonBars, OfSeveralSizesAreHeadedWithNoneOfThem) {
  const plot::Bars bars =
      bars_of("Softmax", {compared("check", {named("a.cu", OpponentKind::ours)}),
                          compared("large", {named("a.cu", OpponentKind::ours)})})
          .value_or(plot::Bars{});
  ASSERT_EQ(bars.groups.size(), 2U);
  EXPECT_EQ(bars.headline, "2 sizes; 2 rounds");
  // 1.25 operations a byte.
  EXPECT_THAT(bars.unit, HasSubstr("GB/s"));
  EXPECT_DOUBLE_EQ(bars.groups.front().bars.front().value, 2000);
}

TEST(ComparisonBars, AreNotDrawnWithoutOurs) {
  Comparison comparison =
      compared("check", {named("a.cu", OpponentKind::ours), named("b.cu", OpponentKind::kernel)});
  comparison.series.front().medians_us.clear();
  EXPECT_FALSE(bars_of("Softmax", {comparison}));
}

TEST(TritonTuning, TakesOfALogWhatItsFileLeavesOpen) {
  EXPECT_THAT(configurations_in("Triton 3.9 for sm_90\n"
                                "add has 3 configurations\n"
                                "* CONFIG = 0: BLOCK: 16\n"
                                "mul has 4 configurations (CONFIG names one)\n"
                                "add has 3 configurations\n"
                                "not it's has 5 configurations\n"
                                "CONFIG is 3; add has configurations 0 to 2"),
              ElementsAre(Pair("add", 3)));
  EXPECT_TRUE(configurations_in("").empty());
}

}  // namespace
}  // namespace autokernel::cli
