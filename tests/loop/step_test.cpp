// One experiment: what is recorded, and what becomes of the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using ledger::Experiment;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class AStep : public testing::Test {
 protected:
  AStep() { workplace_.start(); }
  void expect_taken_back() const {
    EXPECT_EQ(workplace_.edited(), kernel(100));
    EXPECT_THAT(faults_in(workplace_.git()), IsEmpty());
  }

  Workplace workplace_;
  const test::ScratchRepository& git_ = workplace_.git();
};

TEST_F(AStep, ThatIsFasterIsKept) {
  const Step step = workplace_.try_out(kernel(80), {.idea = "tiles of 64 x 64"});
  EXPECT_EQ(step.experiment.verdict, "kept");
  EXPECT_EQ(step.experiment.median_us, 80);
  EXPECT_EQ(step.experiment.vs_reference, 50.0 / 80);
  EXPECT_EQ(workplace_.commit_of("HEAD"), step.experiment.commit);
  EXPECT_EQ(workplace_.edited(), kernel(80));
  EXPECT_THAT(git_.read("results.tsv"), EndsWith("\t80.000\t0.01\tkeep\ttiles of 64 x 64\n"));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(AStep, SaysNothingOfAFileThatWasPutBackSinceTheLastLook) {
  Loop loop = workplace_.open();
  git_.write("more.txt", "on the way\n");
  EXPECT_THAT(loop.status().next(), HasSubstr("more.txt"));
  fs::remove(workplace_.root() / "more.txt");
  workplace_.edit(kernel(80));
  EXPECT_THAT(loop.step({.idea = "an idea"}).next, HasSubstr("edit kernels/kernel.cu"));
}

TEST_F(AStep, CommitsTheEditableFileAlone) {
  git_.write("notes.txt", "not for the commit\n");
  git_.write("staged.txt", "nor this\n");
  git_.git("add", "staged.txt");
  git_.git("checkout", "--quiet", "main");
  workplace_.start("two");
  workplace_.try_out(kernel(80));
  EXPECT_EQ(git_.git("diff", "--name-only", "HEAD~1", "HEAD"), "kernels/kernel.cu\n");
  EXPECT_EQ(git_.git("diff", "--cached", "--name-only"), "staged.txt\n");
  EXPECT_EQ(git_.read("notes.txt"), "not for the commit\n");
}

TEST_F(AStep, HasItsIdeaAsTheSubjectOfItsCommit) {
  workplace_.try_out(kernel(80), {.idea = "tiles of 64 x 64"});
  EXPECT_EQ(git_.line("log", "-1", "--format=%s"), "tiles of 64 x 64");
}

TEST_F(AStep, ThatIsNotFasterIsTakenBack) {
  const Step step = workplace_.try_out(kernel(100, "int other;"));
  EXPECT_EQ(step.experiment.verdict, "not faster");
  EXPECT_EQ(step.experiment.status, ledger::Status::discard);
  expect_taken_back();
}

TEST_F(AStep, ThatIsInconclusiveIsTakenBack) {
  EXPECT_EQ(workplace_.try_out(kernel(90, "NOISY")).experiment.verdict, "inconclusive");
  expect_taken_back();
}

TEST_F(AStep, ThatIsWrongIsTakenBack) {
  const Step step = workplace_.try_out(kernel(10, "WRONG"));
  EXPECT_EQ(step.experiment.verdict, "incorrect");
  EXPECT_EQ(step.experiment.reason, "element 7 is wrong");
  EXPECT_THAT(git_.read("results.tsv"), HasSubstr("\t999999.000\t0.00\tcrash\t"));
  expect_taken_back();
}

TEST_F(AStep, ThatDoesNotCompileIsTakenBack) {
  EXPECT_EQ(workplace_.try_out(kernel(10, "BROKEN")).experiment.verdict, "does not compile");
  expect_taken_back();
}

TEST_F(AStep, ThatCrashesIsTakenBack) {
  EXPECT_EQ(workplace_.try_out(kernel(10, "CRASHES")).experiment.verdict, "crashed");
  expect_taken_back();
}

TEST_F(AStep, ThatHangsIsTakenBack) {
  workplace_.check_seconds = 0.1;
  EXPECT_EQ(workplace_.try_out(kernel(10, "HANGS")).experiment.verdict, "timed out");
  expect_taken_back();
}

TEST_F(AStep, IsComparedWithTheLastOneKept) {
  const std::string kept = workplace_.try_out(kernel(80)).experiment.commit;
  workplace_.try_out(kernel(90));
  EXPECT_EQ(workplace_.try_out(kernel(85)).experiment.incumbent, kept);
}

TEST_F(AStep, KeepsItsLogAndItsMeasurement) {
  const Step step = workplace_.try_out(kernel(10, "WRONG"));
  EXPECT_EQ(step.experiment.log, ".autokernel/runs/demo/1.log");
  EXPECT_EQ(git_.read(step.experiment.log), "the log of a trial: element 7 is wrong\n");
  EXPECT_THAT(workplace_.open().experiment(1).result, HasSubstr(step.experiment.log));
}

TEST_F(AStep, MakesOneLineOfAnIdea) {
  EXPECT_EQ(
      workplace_.try_out(kernel(80), {.idea = "two\nlines\tand a tab"}).experiment.description,
      "two lines and a tab");
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(AStep, CanBeFollowedByAnotherInTheSameLoop) {
  Loop loop = workplace_.open();
  workplace_.edit(kernel(80));
  static_cast<void>(loop.step({.idea = "one"}));
  workplace_.edit(kernel(60));
  EXPECT_EQ(loop.step({.idea = "two"}).experiment.number, 2);
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(AStep, KeepsASimplerKernelThatIsAsFastOnRequest) {
  workplace_.try_out(kernel(80, "int a; int b; int c; int d; int e;"));
  const Step step = workplace_.try_out(kernel(80), {.idea = "less", .simpler = true});
  EXPECT_EQ(step.experiment.verdict, "kept");
  EXPECT_THAT(step.experiment.reason, HasSubstr("simpler"));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(AStep, KeepsNoSimplerKernelUnasked) {
  workplace_.try_out(kernel(80, "int a; int b; int c; int d; int e;"));
  EXPECT_EQ(workplace_.try_out(kernel(80)).experiment.verdict, "not faster");
}

TEST_F(AStep, KeepsNoKernelWithAsMuchCodeAsTheSimplerOne) {
  workplace_.try_out(kernel(80, "int a; int b; int c; int d; int e;"));
  const std::string as_much = kernel(80, "int a; int b; int c; int d; int f;");
  EXPECT_EQ(workplace_.try_out(as_much, {.idea = "i", .simpler = true}).experiment.verdict,
            "not faster");
}

TEST_F(AStep, KeepsNoSimplerKernelThatIsSlower) {
  workplace_.try_out(kernel(80, "int a; int b; int c; int d; int e;"));
  EXPECT_EQ(workplace_.try_out(kernel(82), {.idea = "i", .simpler = true}).experiment.verdict,
            "not faster");
}

class EditedMeanwhile : public AStep {
 protected:
  // Does it once, when the first trial has begun.
  void when_measuring(const std::function<void()>& work) {
    workplace_.note = [work, done = false](const std::string& line) mutable {
      if (done || line.find("phase check") == std::string::npos) return;
      done = true;
      work();
    };
  }
};

TEST_F(EditedMeanwhile, TheEditIsKeptAside) {
  when_measuring([&] { workplace_.edit(kernel(33)); });
  EXPECT_EQ(workplace_.try_out(kernel(120)).experiment.verdict, "not faster");
  EXPECT_EQ(git_.read(".autokernel/aside/1-kernel.cu"), kernel(33));
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("aside/1-kernel.cu")));
  expect_taken_back();
}

TEST_F(EditedMeanwhile, TheEditIsNotWhatIsKept) {
  when_measuring([&] { workplace_.edit(kernel(33)); });
  EXPECT_EQ(workplace_.try_out(kernel(80)).experiment.verdict, "kept");
  EXPECT_EQ(workplace_.edited(), kernel(80));
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

TEST_F(EditedMeanwhile, AFileThatWasRemovedComesBack) {
  when_measuring([&] { fs::remove(workplace_.root() / Workplace::kEditable); });
  EXPECT_EQ(workplace_.try_out(kernel(120)).experiment.verdict, "not faster");
  expect_taken_back();
}

TEST_F(EditedMeanwhile, AFolderInThePlaceOfTheFileIsMovedAside) {
  when_measuring([&] {
    fs::remove(workplace_.root() / Workplace::kEditable);
    git_.write("kernels/kernel.cu/inner", "of a folder");
  });
  EXPECT_EQ(workplace_.try_out(kernel(120)).experiment.verdict, "not faster");
  EXPECT_EQ(git_.read(".autokernel/aside/1-kernel.cu/inner"), "of a folder");
  expect_taken_back();
}

TEST_F(EditedMeanwhile, ACommitOfSomebodysOnTheBranchStays) {
  when_measuring([&] { git_.git("commit", "--quiet", "-a", "--message", "somebody's"); });
  EXPECT_EQ(workplace_.try_out(kernel(80)).experiment.verdict, "kept");
  EXPECT_EQ(git_.line("log", "-1", "--format=%s"), "somebody's");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("something else moved autokernel/demo")));
  workplace_.edit(kernel(70));
  EXPECT_THAT(refusal(Stop::repository,
                      [&] { static_cast<void>(workplace_.open().step({.idea = "the next"})); }),
              HasSubstr("git reset --soft " + workplace_.status().best.commit));
}

class InterruptedStep : public EditedMeanwhile {
 protected:
  [[nodiscard]] bool is_interrupted(const std::string& source) const {
    try {
      workplace_.try_out(source);
    } catch (const Interrupted&) {
      return true;
    }
    return false;
  }
};

TEST_F(InterruptedStep, IsRecordedAsSuchAndTakenBack) {
  when_measuring([] { ::kill(::getpid(), SIGTERM); });
  EXPECT_TRUE(is_interrupted(kernel(80, "SLOW")));
  EXPECT_EQ(workplace_.status().experiments.back().verdict, "interrupted");
  EXPECT_THAT(workplace_.said(), Contains(HasSubstr("autokernel restore 1")));
  expect_taken_back();
}

TEST_F(InterruptedStep, CostsNoEditThatWasMadeMeanwhile) {
  when_measuring([&] {
    workplace_.edit(kernel(33));
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_TRUE(is_interrupted(kernel(80, "SLOW")));
  EXPECT_EQ(git_.read(".autokernel/aside/1-kernel.cu"), kernel(33));
  expect_taken_back();
}

TEST_F(InterruptedStep, MayBeTriedAgainWithoutAWord) {
  when_measuring([] { ::kill(::getpid(), SIGTERM); });
  EXPECT_TRUE(is_interrupted(kernel(80, "SLOW")));
  workplace_.note = nullptr;
  EXPECT_EQ(workplace_.try_out(kernel(80, "SLOW")).experiment.number, 2);
}

TEST_F(InterruptedStep, IsCountedByTheLoopThatGoesOnAfterIt) {
  when_measuring([] { ::kill(::getpid(), SIGTERM); });
  Loop loop = workplace_.open();
  workplace_.edit(kernel(80, "SLOW"));
  EXPECT_THROW(static_cast<void>(loop.step({.idea = "one"})), Interrupted);
  workplace_.edit(kernel(70));
  EXPECT_EQ(loop.step({.idea = "two"}).experiment.number, 2);
  EXPECT_THAT(faults_in(git_), IsEmpty());
}

// results.tsv is the user's to track or not.
TEST(ResultsOfAStep, ThatAreTrackedSurviveATakenBackExperiment) {
  const Workplace workplace;
  workplace.git().write("results.tsv", "commit\tmedian_us\ttflops_s\tstatus\tdescription\n");
  workplace.git().commit("a table");
  workplace.start();
  workplace.try_out(kernel(120));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_EQ(workplace.git().git("status", "--porcelain"), " M results.tsv\n");
}

TEST(ResultsOfAStep, ThatAreIgnoredSurviveATakenBackExperiment) {
  const Workplace workplace;
  workplace.git().write(".gitignore", "results.tsv\n");
  workplace.git().commit("ignored");
  workplace.start();
  workplace.try_out(kernel(120));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_EQ(workplace.git().git("status", "--porcelain"), "");
}

TEST(ResultsOfAStep, ThatGitDoesNotKnowSurviveATakenBackExperiment) {
  const Workplace workplace;
  workplace.start();
  workplace.try_out(kernel(120));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
  EXPECT_EQ(workplace.git().git("status", "--porcelain"), "?? results.tsv\n");
}

// The fake runner calls a kernel wrong whose reference is another one.
TEST(StepOfASwappedCase, IsJudgedByTheReferenceThatWasHashed) {
  Workplace workplace;
  workplace.start();
  workplace.reached = [&](std::string_view point) {
    if (point == "committed") workplace.git().write("kernels/reference.cu", "another one\n");
    if (point == "measured") workplace.git().write("kernels/reference.cu", "the reference\n");
  };
  EXPECT_EQ(workplace.try_out(kernel(80)).experiment.verdict, "kept");
}

}  // namespace
}  // namespace autokernel::loop
