#include "plot/story.h"

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
  EXPECT_EQ(headline(history, story), "400.0 us to 101.0 us, 3.96 times as fast");
  EXPECT_EQ(footer(history, story), "baseline and 4 experiments: 2 kept, 1 discarded, 1 failed");
}

TEST(Story, BeforeTheFirstKeptThereIsNoBest) {
  History history;
  history.experiments = {discarded(300), failed(), kept(200)};
  const Story story = story_of(history);
  EXPECT_THAT(story.best_after, ElementsAre(std::nullopt, std::nullopt, Eq(2U)));
  EXPECT_EQ(headline(history, story), "baseline 200.0 us, nothing faster yet");
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
