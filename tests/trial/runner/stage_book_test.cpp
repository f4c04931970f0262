#include "trial/runner/stage_book.h"

#include <gmock/gmock.h>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AStageBook : public testing::Test {
 protected:
  [[nodiscard]] StageBook book(Depth depth, const std::map<Stage, std::string>& notes = {}) const {
    CheckedSizes sizes{&checked_, &timed_};
    if (depth == Depth::full) sizes.further = {&edge_};
    return {depth, check_plan(sizes, depth), notes};
  }
  [[nodiscard]] static std::vector<std::string> outcomes(const std::vector<StageReport>& reports) {
    std::vector<std::string> all;
    all.reserve(reports.size());
    for (const StageReport& report : reports) all.emplace_back(spelling(report.outcome));
    return all;
  }
  [[nodiscard]] SizedCase named(const std::string& name) const {
    SizedCase sized(problem_, "check");
    sized.size_name = name;
    return sized;
  }

  cases::Case problem_ = product_case("bf16", "bf16", 8, 16, 32);
  SizedCase checked_{problem_, "check"};
  SizedCase timed_{problem_, "default"};
  SizedCase edge_ = named("edge_7");
};

TEST_F(AStageBook, SaysWhatPassedAndWhatWasLeftOut) {
  EXPECT_THAT(outcomes(book(Depth::usual).passed()),
              ElementsAre("PASS", "PASS", "PASS", "PASS", "SKIP", "SKIP", "PASS"));
  EXPECT_THAT(outcomes(book(Depth::quick).passed()),
              ElementsAre("PASS", "PASS", "SKIP", "SKIP", "SKIP", "SKIP", "PASS"));
  EXPECT_THAT(outcomes(book(Depth::full).passed()),
              ElementsAre("PASS", "PASS", "PASS", "PASS", "SKIP", "PASS", "PASS"));
}

TEST_F(AStageBook, SaysWhyAStageIsSkipped) {
  EXPECT_THAT(book(Depth::usual).passed()[4].reason, HasSubstr("--full"));
  EXPECT_THAT(book(Depth::quick).passed()[2].reason, HasSubstr("--quick"));
  EXPECT_THAT(book(Depth::full).passed()[4].reason, HasSubstr("has none"));
  EXPECT_EQ(book(Depth::full, {{Stage::sizes, "without a"}}).passed()[4].reason, "without a");
  EXPECT_EQ(book(Depth::full, {{Stage::edge_sizes, "without b"}}).passed()[5].reason, "without b");
}

TEST_F(AStageBook, ThatWasJudgedKnowsWhatPassedBefore) {
  StageBook stages = book(Depth::usual);
  EXPECT_TRUE(stages.enter(Stage::smoke));
  EXPECT_TRUE(stages.enter(Stage::stability));
  stages.judged_wrong(Stage::determinism);
  const std::vector<StageReport> reports = stages.failed("wrong\nand more");
  EXPECT_THAT(outcomes(reports),
              ElementsAre("PASS", "PASS", "FAIL", "SKIP", "SKIP", "SKIP", "SKIP"));
  EXPECT_EQ(reports[2].reason, "wrong");
  EXPECT_THAT(reports[3].reason, HasSubstr("not judged"));
}

// A launch that does not come back: those before it have not been judged.
TEST_F(AStageBook, OfALaunchThatFailsClaimsNothingOfThoseBefore) {
  StageBook stages = book(Depth::usual);
  EXPECT_TRUE(stages.enter(Stage::smoke));
  EXPECT_FALSE(stages.enter(Stage::smoke));
  EXPECT_TRUE(stages.enter(Stage::stability));
  EXPECT_FALSE(stages.enter(Stage::smoke));
  for (const auto& reports : {stages.failed("crashed"), stages.under_way()}) {
    EXPECT_THAT(outcomes(reports),
                ElementsAre("PASS", "SKIP", "SKIP", "FAIL", "SKIP", "SKIP", "SKIP"));
  }
}

TEST_F(AStageBook, OfAKernelThatDoesNotCompileHasNothingElse) {
  EXPECT_THAT(outcomes(book(Depth::usual).failed("no such name")),
              ElementsAre("FAIL", "SKIP", "SKIP", "SKIP", "SKIP", "SKIP", "SKIP"));
}

TEST_F(AStageBook, OfATimedLaunchThatIsWrongHasPassedTheChecks) {
  StageBook stages = book(Depth::usual);
  EXPECT_TRUE(stages.enter(Stage::timed_outputs));
  EXPECT_THAT(outcomes(stages.failed("wrong")),
              ElementsAre("PASS", "PASS", "PASS", "PASS", "SKIP", "SKIP", "FAIL"));
}

TEST(CheckPlan, HasSizesBeforeEdgesAndEachInARow) {
  const cases::Case problem = product_case("bf16", "bf16", 8, 16, 32);
  const SizedCase timed(problem, "default");
  SizedCase edge = timed;
  edge.size_name = "edge_1";
  SizedCase large = timed;
  large.size_name = "large";
  const std::vector<Check> plan =
      check_plan({.check = &timed, .timed = &timed, .further = {&edge, &large}}, Depth::full);
  std::vector<std::string> names;
  int launches = 0;
  for (const Check& check : plan) {
    EXPECT_EQ(check.first, launches + 1);
    launches += check.launches;
    if (check.stage == Stage::sizes || check.stage == Stage::edge_sizes) {
      names.push_back(check.sized->size_name);
    }
  }
  EXPECT_THAT(names, ElementsAre("large", "large", "edge_1", "edge_1"));
}

}  // namespace
}  // namespace autokernel::trial
