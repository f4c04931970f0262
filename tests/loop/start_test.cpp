// What a run begins with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "loop/consistency.h"
#include "loop/workplace.h"

namespace autokernel::loop {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Eq;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Optional;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kHeader = "commit\tmedian_us\ttflops_s\tstatus\tdescription\n";

TEST(Start, GoesToABranchOfItsOwnWithTheBaselineRecorded) {
  const Workplace workplace;
  const Loop::Started started = workplace.start();
  EXPECT_EQ(workplace.git().line("symbolic-ref", "--short", "HEAD"), "autokernel/demo");
  EXPECT_EQ(
      workplace.git().read("results.tsv"),
      kHeader + workplace.commit_of("HEAD").substr(0, 7) + "\t100.000\t0.01\tkeep\tbaseline\n");
  ASSERT_TRUE(started.step);
  EXPECT_THAT(started.step,
              Optional(Field(&Step::experiment, Field(&ledger::Experiment::median_us, Eq(100.0)))));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Start, MakesNoCommit) {
  const Workplace workplace;
  const std::string before = workplace.commit_of("HEAD");
  workplace.start();
  EXPECT_EQ(workplace.commit_of("HEAD"), before);
}

TEST(Start, RemembersWhatItWasGiven) {
  const Workplace workplace;
  StartOptions options = workplace.start_options();
  options.min_gain = 0.03;
  options.size = "check";
  options.architecture = "sm_90a";
  options.budget = {.max_runs = 7, .hours = 2.5, .no_progress = 3};
  static_cast<void>(workplace.open().start(options));
  const ledger::RunStarted run = workplace.status().run;
  EXPECT_EQ(run.min_gain, 0.03);
  EXPECT_EQ(run.size, "check");
  EXPECT_EQ(run.arch, "sm_90a");
  EXPECT_EQ(run.budget, options.budget);
  EXPECT_EQ(run.device_name, "a test's device");
  EXPECT_EQ(run.editable, "kernels/kernel.cu");
  EXPECT_THAT(run.guarded, AllOf(SizeIs(2), Contains(Key("kernels/case.toml")),
                                 Contains(Key("kernels/reference.cu"))));
}

TEST(Start, MovesTheRowsOfAnEarlierRunAsideAndSaysWhere) {
  const Workplace workplace;
  const std::string rows = kHeader + std::string("abcdef0\t9.000\t1.00\tkeep\tan old one\n");
  workplace.git().write("results.tsv", rows);
  const Loop::Started started = workplace.start();
  EXPECT_EQ(started.moved_aside, (workplace.root() / ".autokernel/aside/results-1.tsv").string());
  EXPECT_EQ(workplace.git().read(".autokernel/aside/results-1.tsv"), rows);
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Start, LeavesATableWithoutRowsWhereItIs) {
  const Workplace workplace;
  workplace.git().write("results.tsv", kHeader);
  EXPECT_EQ(workplace.start().moved_aside, "");
  EXPECT_FALSE(workplace.has(".autokernel/aside"));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Start, OfASecondRunMovesTheFirstOnesRows) {
  const Workplace workplace;
  workplace.start("one");
  workplace.try_out(kernel(80));
  EXPECT_NE(workplace.start("two").moved_aside, "");
  EXPECT_EQ(workplace.status().baseline.median_us, 80);
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Start, WorksFromASubfolder) {
  const Workplace workplace;
  static_cast<void>(Loop::open(workplace.root() / "kernels", "a test", workplace.context())
                        .start(workplace.start_options()));
  EXPECT_TRUE(workplace.has("results.tsv"));
  EXPECT_FALSE(workplace.has("kernels/results.tsv"));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

TEST(Start, InALinkedWorktreeLeavesTheMainOneAlone) {
  const Workplace workplace;
  const auto linked = workplace.git().beside("linked");
  workplace.git().git("worktree", "add", "--quiet", linked.string(), "-b", "side");
  StartOptions options = workplace.start_options();
  options.case_directory = linked / "kernels";
  Loop loop = Loop::open(linked, "a test", workplace.context());
  static_cast<void>(loop.start(options));
  workplace.git().git_in(linked, {"diff", "--quiet"});
  EXPECT_EQ(workplace.git().line("symbolic-ref", "--short", "HEAD"), "main");
  EXPECT_FALSE(workplace.has("results.tsv"));
  EXPECT_TRUE(std::filesystem::exists(linked / "results.tsv"));
}

TEST(Start, WithoutAUserNameSaysWhoCommits) {
  const Workplace workplace;
  workplace.git().git("config", "--unset", "user.name");
  workplace.start();
  EXPECT_THAT(workplace.said(), Contains(AllOf(HasSubstr("user.name"), HasSubstr("autokernel <"))));
  workplace.try_out(kernel(80));
  EXPECT_EQ(workplace.git().line("log", "-1", "--format=%an"), "autokernel");
}

TEST(Start, WithConvertedLineEndsHasACleanKernel) {
  const Workplace workplace;
  workplace.git().git("config", "core.autocrlf", "true");
  workplace.git().git("rm", "--quiet", "--cached", "-r", ".");
  workplace.git().git("reset", "--quiet", "--hard");
  EXPECT_THAT(workplace.edited(), HasSubstr("\r\n"));
  workplace.start();
  const Step step = workplace.try_out("constexpr float time_us = 120;\r\n");
  EXPECT_EQ(step.experiment.verdict, "not faster");
  EXPECT_THAT(workplace.edited(), HasSubstr("= 100;\r\n"));
  EXPECT_THAT(faults_in(workplace.git()), IsEmpty());
}

}  // namespace
}  // namespace autokernel::loop
