// What forbids an experiment. Nothing is changed then, and the message says what to do.
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
using testing::Not;
using testing::SizeIs;

class StepRefusal : public testing::Test {
 protected:
  StepRefusal() { workplace_.start(); }
  // What it says of the file as it is; the test fails where anything has been changed.
  [[nodiscard]] std::string refused(Stop stop,
                                    const StepOptions& options = {.idea = "an idea"}) const {
    const std::string before = workplace_.snapshot();
    const std::string said =
        refusal(stop, [&] { static_cast<void>(workplace_.open().step(options)); });
    EXPECT_EQ(workplace_.snapshot(), before);
    return said;
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(StepRefusal, NamesEachOtherFileThatHasChanged) {
  workplace_.edit(kernel(80));
  git_.write("notes.txt", "changed\n");
  git_.write("new.txt", "new\n");
  fs::remove(workplace_.root() / "kernels/reference.cu");
  EXPECT_THAT(refused(Stop::scope),
              AllOf(HasSubstr("notes.txt (modified)"), HasSubstr("new.txt (new)"),
                    HasSubstr("kernels/reference.cu (deleted)"), HasSubstr("git checkout --")));
}

TEST_F(StepRefusal, OfMoreFilesThanAnybodyReadsCountsTheRest) {
  workplace_.edit(kernel(80));
  for (int i = 0; i < 25; ++i) git_.write("new-" + std::to_string(i), "new\n");
  EXPECT_THAT(refused(Stop::scope), HasSubstr("and 5 more"));
}

TEST_F(StepRefusal, OfACaseThatGitIsToldToOverlook) {
  workplace_.edit(kernel(80));
  git_.git("update-index", "--assume-unchanged", "kernels/case.toml");
  git_.write("kernels/case.toml", git_.read("kernels/case.toml") + "# easier\n");
  EXPECT_THAT(refused(Stop::scope), HasSubstr("kernels/case.toml (modified)"));
}

TEST_F(StepRefusal, OfABranchThatSomebodyHasMoved) {
  git_.git("commit", "--quiet", "--allow-empty", "--message", "somebody's");
  workplace_.edit(kernel(80));
  EXPECT_THAT(refused(Stop::repository),
              HasSubstr("git reset --soft " + workplace_.status().best.commit));
}

TEST_F(StepRefusal, OnABranchWithoutARun) {
  git_.git("checkout", "--quiet", "main");
  EXPECT_THAT(refused(Stop::repository),
              AllOf(HasSubstr("no run on main"), HasSubstr("git switch autokernel/TAG")));
}

TEST_F(StepRefusal, OnARunsBranchWithoutItsLedger) {
  fs::remove_all(workplace_.root() / ".autokernel");
  fs::remove(workplace_.root() / ".git" / "autokernel-ledger.jsonl");
  workplace_.edit(kernel(80));
  EXPECT_THAT(refusal(Stop::repository,
                      [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); }),
              HasSubstr("no record of a run on autokernel/demo"));
}

TEST_F(StepRefusal, OnADetachedHead) {
  git_.git("checkout", "--quiet", "--detach");
  EXPECT_THAT(refusal(Stop::repository,
                      [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); }),
              HasSubstr("detached"));
}

TEST_F(StepRefusal, OfAFileThatIsAsItWas) {
  EXPECT_THAT(refused(Stop::usage), HasSubstr("edit it first"));
}

TEST_F(StepRefusal, OfAFileOfWhichOnlyCommentsHaveChanged) {
  workplace_.edit("// a comment\n" + kernel(100) + "\n\n");
  EXPECT_THAT(refused(Stop::usage), HasSubstr("except for comments and white space"));
}

TEST_F(StepRefusal, OfASourceThatWasTriedBeforeShowsItsRow) {
  workplace_.try_out(kernel(120), {.idea = "a bad idea"});
  workplace_.edit(kernel(120, "// the same again"));
  EXPECT_THAT(refused(Stop::usage), AllOf(HasSubstr("experiment 1 ("), HasSubstr("\"a bad idea\""),
                                          HasSubstr("not faster")));
}

TEST_F(StepRefusal, OfASourceThatWasTriedBeforeIsNoneWithAgain) {
  workplace_.try_out(kernel(120));
  const Step step = workplace_.try_out(kernel(120), {.idea = "once more", .again = true});
  EXPECT_EQ(step.experiment.number, 2);
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(StepRefusal, WithoutAnIdea) {
  workplace_.edit(kernel(80));
  EXPECT_THAT(refused(Stop::usage, {.idea = " \n"}), HasSubstr("-m \"tiles of 64 x 64\""));
}

TEST_F(StepRefusal, OfAFileThatIsMissing) {
  fs::remove(workplace_.root() / Workplace::kEditable);
  EXPECT_THAT(refused(Stop::repository), HasSubstr("kernels/kernel.cu"));
}

TEST_F(StepRefusal, OfAFileThatHasBecomeALink) {
  fs::remove(workplace_.root() / Workplace::kEditable);
  fs::create_symlink("reference.cu", workplace_.root() / Workplace::kEditable);
  EXPECT_THAT(refused(Stop::repository), HasSubstr("kernels/kernel.cu"));
}

TEST_F(StepRefusal, WhereTheMachineIsAtFaultLeavesTheEditAndNothingElse) {
  workplace_.edit(kernel(80, "NO_DEVICE"));
  EXPECT_THAT(refused(Stop::environment),
              AllOf(HasSubstr("cannot be compared"), HasSubstr("autokernel loop start TAG")));
  EXPECT_FALSE(workplace_.has(".autokernel/journal.json"));
  EXPECT_THAT(workplace_.status().experiments, SizeIs(1));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

// It ran when it was committed; a drive would take the question of usage for an old idea.
TEST_F(StepRefusal, WhereTheIncumbentDoesNotRunBlamesTheMachine) {
  workplace_.edit(kernel(80, "NO_RIVAL"));
  EXPECT_THAT(refused(Stop::environment), HasSubstr("cannot compare with the best"));
  EXPECT_THAT(workplace_.status().experiments, SizeIs(1));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST(StepRefusalForTheCase, ThatGitIgnoresAndThatHasChanged) {
  const Workplace workplace;
  workplace.git().git("rm", "--quiet", "--cached", "kernels/case.toml");
  workplace.git().write(".gitignore", "case.toml\n");
  workplace.git().commit("without the case");
  workplace.start();
  workplace.git().write("kernels/case.toml", workplace.git().read("kernels/case.toml") + "# new\n");
  workplace.edit(kernel(80));
  EXPECT_THAT(
      refusal(Stop::scope, [&] { static_cast<void>(workplace.open().step({.idea = "an idea"})); }),
      HasSubstr("kernels/case.toml (modified)"));
}

TEST(StepRefusalForTheBudget, OfExperimentsHoldsUntilItIsWaived) {
  const Workplace workplace;
  StartOptions options = workplace.start_options();
  options.budget.max_runs = 1;
  static_cast<void>(workplace.open().start(options));
  workplace.try_out(kernel(80));
  workplace.edit(kernel(70));
  EXPECT_THAT(
      refusal(Stop::budget, [&] { static_cast<void>(workplace.open().step({.idea = "an idea"})); }),
      AllOf(HasSubstr("all 1 experiments were made"), HasSubstr("--over-budget")));
  EXPECT_EQ(workplace.edited(), kernel(70));
  EXPECT_EQ(workplace.open().step({.idea = "an idea", .over_budget = true}).experiment.number, 2);
}

TEST(StepRefusalForTheBudget, OfHoursHolds) {
  const Workplace workplace;
  StartOptions options = workplace.start_options();
  options.budget.hours = 0;
  static_cast<void>(workplace.open().start(options));
  workplace.edit(kernel(70));
  EXPECT_THAT(
      refusal(Stop::budget, [&] { static_cast<void>(workplace.open().step({.idea = "an idea"})); }),
      HasSubstr("0 hours have passed"));
}

// Files that were not as committed when the run was started.
class Unsaved : public testing::Test {
 protected:
  Unsaved() {
    git_.write("notes.txt", "unsaved\n");
    git_.write("mine.txt", "unknown to git\n");
    git_.write("folder/of/mine.txt", "unknown to git\n");
    workplace_.start();
    workplace_.edit(kernel(80));
  }
  [[nodiscard]] std::string refused() const {
    return refusal(Stop::scope,
                   [&] { static_cast<void>(workplace_.open().step({.idea = "an idea"})); });
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(Unsaved, FilesFromBeforeTheStartStayAsTheyAre) {
  EXPECT_EQ(refused(), "no Error");
  EXPECT_EQ(git_.read("notes.txt"), "unsaved\n");
  EXPECT_EQ(git_.read("mine.txt"), "unknown to git\n");
}

TEST_F(Unsaved, FilesMayNotChangeFurther) {
  git_.write("notes.txt", "changed again\n");
  git_.write("mine.txt", "changed, too\n");
  EXPECT_THAT(refused(),
              AllOf(HasSubstr("notes.txt (modified)"), HasSubstr("mine.txt (modified)")));
}

TEST_F(Unsaved, FilesMayNotBeTakenBack) {
  git_.git("checkout", "--quiet", "--", "notes.txt");
  fs::remove(workplace_.root() / "mine.txt");
  EXPECT_THAT(refused(), AllOf(HasSubstr("notes.txt (reset)"), HasSubstr("mine.txt (reset)")));
}

TEST_F(Unsaved, FilesInAFolderThatGitDoesNotKnowMayBeStaged) {
  git_.git("add", "folder");
  EXPECT_EQ(refused(), "no Error");
}

TEST_F(Unsaved, FoldersMayNotBeRemoved) {
  fs::remove_all(workplace_.root() / "folder");
  EXPECT_THAT(refused(), HasSubstr("folder/ (deleted)"));
}

}  // namespace
}  // namespace autokernel::loop
