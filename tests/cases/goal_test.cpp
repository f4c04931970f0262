#include <gmock/gmock.h>

#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(Goal, IsTheMeasuredSizeAloneUnlessTheCaseSaysMore) {
  const Goal goal = parse(sample(), "c").goal;

  EXPECT_TRUE(goal.score.empty());
  EXPECT_TRUE(goal.most_loss.empty());
  EXPECT_FALSE(goal.registers || goal.spill_bytes || goal.shared_bytes);
  EXPECT_FALSE(goal.max_abs_error || goal.max_rel_error);
}

TEST(Goal, HasWeightsOfSizesAndGuardRails) {
  const Goal goal = parse(sample() +
                              "[score]\ndefault = 2\ncheck = 0.5\n"
                              "[guard]\nregisters = 128\nspill_bytes = 0\nshared_bytes = 49152\n"
                              "max_abs_error = 0.25\nmax_rel_error = 1e-3\n"
                              "[guard.loss_pct]\ncheck = 2\n",
                          "c")
                        .goal;

  EXPECT_THAT(goal.score, ElementsAre(Pair("check", 0.5), Pair("default", 2)));
  EXPECT_THAT(goal.most_loss, ElementsAre(Pair("check", 0.02)));
  EXPECT_EQ(goal.registers, 128U);
  EXPECT_EQ(goal.spill_bytes, 0U);
  EXPECT_EQ(goal.shared_bytes, 49152U);
  EXPECT_EQ(goal.max_abs_error, 0.25);
  EXPECT_EQ(goal.max_rel_error, 1e-3);
}

TEST(Goal, NamesASizeThatTheCaseLacks) {
  EXPECT_THAT(complaint_about(sample() + "[score]\nllm_7b = 1\n"),
              HasSubstr("[score] llm_7b is no size of this case; write check or default"));
  EXPECT_THAT(complaint_about(sample() + "[guard.loss_pct]\nlarge = 1\n"),
              HasSubstr("[guard.loss_pct] large is no size of this case"));
}

TEST(Goal, RefusesWhatIsNoWeightNoLossAndNoGuard) {
  EXPECT_THAT(complaint_about(sample() + "[score]\n"), HasSubstr("[score]: names no size"));
  EXPECT_THAT(complaint_about(sample() + "[score]\ncheck = 1\n"),
              HasSubstr("[score]: lacks default"));
  EXPECT_THAT(complaint_about(sample() + "[score]\ndefault = 0\n"), HasSubstr("[score] default"));
  EXPECT_THAT(complaint_about(sample() + "[score]\ndefault = -1\n"), HasSubstr("[score] default"));
  EXPECT_THAT(complaint_about(sample() + "[guard.loss_pct]\ncheck = 0\n"),
              HasSubstr("[guard.loss_pct] check"));
  EXPECT_THAT(complaint_about(sample() + "[guard]\nregisters = -1\n"),
              HasSubstr("[guard] registers"));
  EXPECT_THAT(complaint_about(sample() + "[guard]\nregister = 64\n"), HasSubstr("registers"));
}

}  // namespace
}  // namespace autokernel::cases
