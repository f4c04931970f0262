#include "plot/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plot/histories.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;

TEST(Story, TheBestIsTheLastKeptAndNeverTheSmallestNumber) {
  History history;
  history.experiments = {kept(400), discarded(90), kept(100), failed(), kept(101)};
  const Story story = story_of(history);
  EXPECT_EQ(story.baseline, 0U);
  EXPECT_EQ(story.best, 4U);
  EXPECT_THAT(story.best_after, ElementsAre(Eq(0U), Eq(0U), Eq(2U), Eq(2U), Eq(4U)));
  EXPECT_EQ(headline(history, story),
            "400.0 us to 101.0 us, 3.96 times as fast (raw medians, each of another process)");
  EXPECT_EQ(footer(history, story), "baseline and 4 experiments: 2 kept, 1 discarded, 1 failed");
}

TEST(Story, BeforeTheFirstKeptThereIsNoBest) {
  History history;
  history.experiments = {discarded(300), failed(), kept(200)};
  const Story story = story_of(history);
  EXPECT_THAT(story.best_after, ElementsAre(std::nullopt, std::nullopt, Eq(2U)));
  EXPECT_EQ(headline(history, story),
            "baseline 200.0 us, nothing faster yet (raw medians, each of another process)");
}

TEST(Story, OfGainsInPairsNeedsNoWarning) {
  History history;
  history.scale = Scale::pairs;
  history.experiments = {kept(400), kept(100)};
  EXPECT_EQ(headline(history, story_of(history)), "400.0 us to 100.0 us, 4.00 times as fast");
  EXPECT_THAT(footer(history, story_of(history)), ::testing::HasSubstr("gains in pairs"));
}

TEST(Story, IsHeadedByWhatWasConfirmedWhereThatIsKnown) {
  History history;
  history.scale = Scale::pairs;
  history.experiments = {kept(400), kept(100)};
  history.confirmed = Confirmed{.ratio = 3.9, .low = 3.8, .high = 4.0, .processes = 5};
  EXPECT_EQ(headline(history, story_of(history)),
            "3.90 times as fast as the baseline, confirmed in 5 processes (95 %: 3.80 to 4.00)");
}

TEST(Story, DrawsNothingThatWasRejectedFasterThanItsIncumbent) {
  History history;
  history.scale = Scale::pairs;
  history.experiments = {kept(400), discarded(390), kept(100), discarded(150), failed()};
  const Story story = story_of(history);
  EXPECT_EQ(drawn_us(history, story, 1), 400);
  EXPECT_EQ(drawn_us(history, story, 2), 100);
  EXPECT_EQ(drawn_us(history, story, 3), 150);
  EXPECT_EQ(drawn_us(history, story, 4), std::nullopt);
}

TEST(Story, DrawsRawMediansWhereTheyAre) {
  History history;
  history.experiments = {kept(400), discarded(390)};
  EXPECT_EQ(drawn_us(history, story_of(history), 1), 390);
}

TEST(Story, WithoutAnyKeptSaysSo) {
  History history;
  history.experiments = {failed()};
  EXPECT_EQ(headline(history, story_of(history)), "no kernel has been kept yet");
  EXPECT_EQ(footer(history, story_of(history)), "1 experiment: 0 kept, 0 discarded, 1 failed");
}

TEST(Story, NamesWhatIsKnown) {
  History history;
  EXPECT_EQ(title(history), "Kernel experiments");
  history.device = "NVIDIA H200";
  history.problem = "MatMul";
  EXPECT_EQ(title(history), "MatMul on NVIDIA H200");
}

TEST(TimeText, HasFourDigitsAndAFittingUnit) {
  EXPECT_EQ(time_text(6.672), "6.672 us");
  EXPECT_EQ(time_text(438.464), "438.5 us");
  EXPECT_EQ(time_text(9999), "9999 us");
  EXPECT_EQ(time_text(36591.459), "36.59 ms");
  EXPECT_EQ(time_text(2.5e6), "2.500 s");
  EXPECT_EQ(time_text(0.5), "0.500 us");
}

}  // namespace
}  // namespace autokernel::plot::testing
