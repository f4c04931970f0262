// The end of a run: measured again, and a branch with what was kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::Eq;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

class FinishedRun : public testing::Test {
 protected:
  FinishedRun() { workplace_.make_a_run(); }
  [[nodiscard]] Finish finish() const { return workplace_.open().finish(3); }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(FinishedRun, HasMediansAndRatiosOfFreshProcesses) {
  const Finish finished = finish();
  EXPECT_EQ(finished.headline.processes, 3);
  EXPECT_EQ(finished.headline.best_us, 60);
  EXPECT_EQ(finished.headline.baseline_us, 100);
  EXPECT_EQ(finished.headline.library_us, 50);
  EXPECT_THAT(finished.headline.over_baseline,
              Optional(Field(&ledger::Confirmed::ratio, DoubleNear(100.0 / 60, 1e-9))));
  EXPECT_THAT(finished.headline.over_library,
              Optional(Field(&ledger::Confirmed::ratio, DoubleNear(50.0 / 60, 1e-9))));
}

TEST_F(FinishedRun, IsRecorded) {
  static_cast<void>(finish());
  EXPECT_TRUE(std::holds_alternative<ledger::RunFinished>(workplace_.open().history().back()));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(FinishedRun, HasTheKeptCommitsOnABranchWithTheirGains) {
  EXPECT_EQ(finish().headline.branch, "autokernel/demo-kept");
  EXPECT_EQ(git_.git("log", "--format=%s", "main..autokernel/demo-kept"), "vectors\ntiles\n");
  EXPECT_THAT(git_.git("log", "-1", "--format=%b", "autokernel/demo-kept"),
              AllOf(HasSubstr("60.000 us, 25.00 % less time than before"),
                    HasSubstr("Experiment 4 of the autokernel run demo.")));
  EXPECT_EQ(git_.git("show", "autokernel/demo-kept:kernels/kernel.cu"), kernel(60));
}

// Each step is of another process, on a machine that may be slower or faster by then.
TEST(RunOnAMachineThatSlowsDown, HasTheTimesOfTheLogInItsKeptCommits) {
  const Workplace workplace;
  workplace.start();
  workplace.try_out(kernel(80));
  const test::ScopedEnvironment slower(
      test::ScopedEnvironment::Variables{{"AUTOKERNEL_TEST_SLOWNESS", "2"}});
  workplace.try_out(kernel(60));
  static_cast<void>(workplace.open().finish(2));
  EXPECT_THAT(workplace.git().git("log", "-1", "--format=%b", "autokernel/demo-kept"),
              AllOf(HasSubstr("60.000 us, 25.00 % less time than before"),
                    HasSubstr("as in 'autokernel log'")));
}

TEST_F(FinishedRun, CanBeMerged) {
  static_cast<void>(finish());
  git_.git("checkout", "--quiet", "main");
  git_.git("merge", "--quiet", "autokernel/demo-kept");
  EXPECT_EQ(workplace_.edited(), kernel(60));
}

TEST_F(FinishedRun, MakesTheSameCommitsEachTime) {
  static_cast<void>(finish());
  const std::string once = workplace_.commit_of("autokernel/demo-kept");
  static_cast<void>(finish());
  EXPECT_EQ(workplace_.commit_of("autokernel/demo-kept"), once);
}

TEST_F(FinishedRun, GoesOn) {
  static_cast<void>(finish());
  workplace_.try_out(kernel(40), {.idea = "more"});
  static_cast<void>(finish());
  EXPECT_EQ(git_.git("log", "--format=%s", "main..autokernel/demo-kept"), "more\nvectors\ntiles\n");
}

TEST_F(FinishedRun, OverwritesNoBranchOfSomebodys) {
  git_.git("branch", "autokernel/demo-kept", "main");
  git_.git("checkout", "--quiet", "autokernel/demo-kept");
  git_.git("commit", "--quiet", "--allow-empty", "--message", "somebody's");
  git_.git("checkout", "--quiet", "autokernel/demo");
  EXPECT_THAT(refusal(Stop::repository, [&] { static_cast<void>(finish()); }),
              HasSubstr("git branch -m autokernel/demo-kept NAME"));
  EXPECT_EQ(git_.line("log", "-1", "--format=%s", "autokernel/demo-kept"), "somebody's");
}

TEST_F(FinishedRun, IsMeasuredFromWhatGitHolds) {
  workplace_.edit(kernel(1));
  EXPECT_EQ(finish().headline.best_us, 60);
  EXPECT_EQ(workplace_.edited(), kernel(1));
}

TEST_F(FinishedRun, IsNotMeasuredWithAnotherCase) {
  git_.write("kernels/case.toml", git_.read("kernels/case.toml") + "# easier\n");
  EXPECT_THAT(refusal(Stop::scope, [&] { static_cast<void>(finish()); }),
              HasSubstr("kernels/case.toml"));
}

TEST(RunWithoutAGain, FinishesWithoutABranch) {
  const Workplace workplace;
  workplace.start();
  workplace.try_out(kernel(120));
  const Finish finished = workplace.open().finish(2);
  EXPECT_EQ(finished.headline.branch, "");
  EXPECT_EQ(finished.headline.over_baseline, std::nullopt);
  EXPECT_EQ(finished.headline.best_us, 100);
}

}  // namespace
}  // namespace autokernel::loop
