// What a user sees before any kernel runs.
#include <fcntl.h>
#include <gmock/gmock.h>

#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class CommandLine : public Workplace {};

TEST_F(CommandLine, PrintsItsVersion) {
  const Outcome run = run_autokernel({"--version"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, MatchesRegex("autokernel [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

// An agent writes into the working folder, and must not get into the program that judges it.
TEST_F(CommandLine, LooksForItsLibrariesNowhereInTheWorkingFolder) {
  scratch_.write("libstdc++.so.6", "no library");
  scratch_.write("libm.so.6", "no library");
  Invocation here = autokernel({"--version"});
  here.directory = scratch_.path();
  const Outcome run = test::run(here);
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST_F(CommandLine, PrintsItsHelp) {
  const Outcome run = run_autokernel({"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, HasSubstr("Examples:"));
}

TEST_F(CommandLine, WithoutArgumentsShowsTheHelpAsAUsageError) {
  const Outcome run = run_autokernel({});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("Usage:"));
}

TEST_F(CommandLine, RefusesWhatItDoesNotKnow) {
  expect_refusal(run_autokernel({"bench", "--frob"}), 2, "see 'autokernel bench --help'");
  expect_refusal(run_autokernel({"frob"}), 2, "unknown command 'frob'");
}

TEST_F(CommandLine, SaysWhereItLookedForACase) {
  Invocation elsewhere = autokernel({"bench"});
  elsewhere.directory = scratch_.folder("elsewhere");
  expect_refusal(test::run(elsewhere), 2, "no case found");
}

TEST_F(CommandLine, SaysThatACaseIsMissing) {
  expect_refusal(run_autokernel({"bench", "--case", "none"}), 2, "there is no folder none");
}

TEST_F(CommandLine, SaysThatAKernelIsMissing) {
  expect_refusal(run_autokernel({"bench", "--kernel", "none.cu"}), 2, "none.cu: No such file");
}

TEST_F(CommandLine, SaysThatAFolderHasNoKernel) {
  expect_refusal(run_autokernel({"bench", "--kernel", "."}), 2, "it has no kernel.cu");
}

TEST_F(CommandLine, NamesFileAndLineOfACaseThatIsNoToml) {
  scratch_.write("kernels/case.toml", "name = \"MatMul\nsizes");
  expect_refusal(run_autokernel({"bench", "--device", "cpu"}), 2, "case.toml");
  EXPECT_THAT(processes_still_marked(scratch_.path().string()), IsEmpty());
}

TEST_F(CommandLine, NamesTheSizesThereAreWhereOneIsMissing) {
  expect_refusal(run_autokernel({"bench", "--device", "cpu", "--size", "huge"}), 2, "huge");
  expect_nothing_left();
}

TEST_F(CommandLine, SaysThatThereIsNoGpu) {
  Invocation blind = autokernel({"bench", "--device", "cuda"});
  blind.environment["CUDA_VISIBLE_DEVICES"] = "";  // hides the GPUs of a machine that has some
  expect_refusal(test::run(blind), 3, "--device cpu");
  expect_nothing_left();
}

TEST_F(CommandLine, DoesNotLetUsersCallTheRunner) {
  expect_refusal(run_autokernel({"runner"}), 2, "use 'autokernel bench'");
}

TEST_F(CommandLine, SaysThatNobodyTakesItsOutput) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.is_open());
  Invocation invocation = autokernel({"--help"});
  invocation.out = full.get();
  const Outcome run = test::run(invocation);
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err, "autokernel: cannot write to standard output: No space left on device\n");
}

TEST_F(CommandLine, SaysWhatItDoesWhereItIsAskedTo) {
  const Outcome run = bench("syntax_error", {"--verbose"});
  EXPECT_THAT(run.err, AllOf(HasSubstr("runner "), HasSubstr("entered phase compile")));
}

}  // namespace
}  // namespace autokernel::test
