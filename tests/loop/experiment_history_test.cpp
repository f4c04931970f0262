// Earlier experiments: shown, compared, put back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LookingBack : public testing::Test {
 protected:
  LookingBack() { workplace_.make_a_run(); }
  void restore(int number) const { workplace_.open().restore(number); }

  Workplace workplace_;
};

TEST_F(LookingBack, ShowsEachExperimentWithItsMeasurement) {
  const Loop loop = workplace_.open();
  EXPECT_EQ(loop.experiment(2).verdict, "incorrect");
  EXPECT_THAT(loop.experiment(2).result, HasSubstr("incorrect"));
  EXPECT_EQ(loop.experiment(4).description, "vectors");
}

TEST_F(LookingBack, SaysWhereNoExperimentIs) {
  EXPECT_THAT(refusal(Stop::usage, [&] { static_cast<void>(workplace_.open().experiment(5)); }),
              AllOf(HasSubstr("no experiment 5 in run demo"), HasSubstr("autokernel log")));
}

TEST_F(LookingBack, SaysWhichRunsThereAreWhereNoneHasTheName) {
  const Loop loop = workplace_.open();
  const std::string words = "there is no run 'nosuch' in the ledger; there are: demo";
  EXPECT_THAT(refusal(Stop::repository, [&] { loop.require_run("nosuch"); }), HasSubstr(words));
  EXPECT_THAT(refusal(Stop::repository, [&] { static_cast<void>(loop.experiment(1, "nosuch")); }),
              HasSubstr(words));
}

TEST_F(LookingBack, FindsExperimentsOfAnotherRunByItsTag) {
  workplace_.start("two");
  EXPECT_EQ(workplace_.open().experiment(1, "demo").description, "tiles");
  EXPECT_THAT(workplace_.open().history(), SizeIs(8));
}

TEST_F(LookingBack, HasTheSourceOfARejectedExperiment) {
  const Loop loop = workplace_.open();
  EXPECT_EQ(loop.source(loop.experiment(2)).text, kernel(10, "WRONG"));
}

TEST_F(LookingBack, ComparesAnExperimentWithWhatItWasComparedWith) {
  EXPECT_THAT(workplace_.open().diff(3), AllOf(HasSubstr("\n-constexpr float time_us = 80;"),
                                               HasSubstr("\n+constexpr float time_us = 81;")));
}

TEST_F(LookingBack, ComparesTwoExperiments) {
  EXPECT_THAT(workplace_.open().diff(4, 2), AllOf(HasSubstr("\n-constexpr float time_us = 10;"),
                                                  HasSubstr("\n+constexpr float time_us = 60;")));
}

TEST_F(LookingBack, HasNothingToCompareTheBaselineWith) {
  EXPECT_THAT(refusal(Stop::usage, [&] { static_cast<void>(workplace_.open().diff(0)); }),
              HasSubstr("name two experiments"));
}

TEST_F(LookingBack, RestoresARejectedSourceAndNothingElse) {
  const std::string before = workplace_.git().git("for-each-ref");
  restore(2);
  EXPECT_EQ(workplace_.edited(), kernel(10, "WRONG"));
  EXPECT_EQ(workplace_.git().git("for-each-ref"), before);
  EXPECT_EQ(workplace_.git().git("diff", "--cached", "--name-only"), "");
}

TEST_F(LookingBack, RestoresOneAfterTheOther) {
  restore(2);
  restore(3);
  EXPECT_EQ(workplace_.edited(), kernel(81));
}

TEST_F(LookingBack, RestoresAFileThatIsMissing) {
  fs::remove(workplace_.root() / Workplace::kEditable);
  restore(4);
  EXPECT_EQ(workplace_.edited(), kernel(60));
}

TEST_F(LookingBack, RestoresNothingOverAnUnsavedEdit) {
  workplace_.edit(kernel(33));
  EXPECT_THAT(refusal(Stop::repository, [&] { restore(2); }),
              AllOf(HasSubstr("make a step of it first"),
                    HasSubstr("git checkout HEAD -- kernels/kernel.cu")));
  EXPECT_EQ(workplace_.edited(), kernel(33));
}

TEST_F(LookingBack, StepsFromWhatWasRestored) {
  restore(3);
  EXPECT_EQ(workplace_.open().step({.idea = "on it", .again = true}).experiment.number, 5);
  EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
}

}  // namespace
}  // namespace autokernel::loop
