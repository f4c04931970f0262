// Each way a kernel can be bad has its exit code and one clear reason, leaves nothing behind, and
// harms no later run.
#include <gmock/gmock.h>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

class BadKernels : public Workplace {
 protected:
  // What holds of every failed run.
  void expect_failure(const Outcome& run, int code, const std::string& verdict) const {
    expect_rejection(run, code, verdict);
    expect_nothing_left();
    expect_next_bench_works();
  }
};

TEST_F(BadKernels, ASyntaxErrorDoesNotCompileAndTheReasonNamesTheLine) {
  const Outcome run = bench("syntax_error");
  expect_failure(run, 12, "does_not_compile");
  EXPECT_THAT(value_of("reason", run.out), ContainsRegex("syntax_error.cu[:(][0-9]+"));
}

TEST_F(BadKernels, TheWholeCompilerOutputIsInTheLogThatIsNamed) {
  const Outcome run = bench("syntax_error");
  EXPECT_THAT(contents(value_of("log", run.out)), HasSubstr("error"));
}

TEST_F(BadKernels, OneWrongElementIsFoundAndNamed) {
  const Outcome run = bench("wrong_in_one_element");
  expect_failure(run, 11, "incorrect");
  EXPECT_THAT(value_of("reason", run.out), AllOf(HasSubstr("17"), HasSubstr("42")));
}

TEST_F(BadKernels, OneWrongElementIsFoundAtTheFullSizeToo) {
  const Outcome run = bench("wrong_in_one_element", {"--size", "default"});
  EXPECT_EQ(run.code, 2) << "--size is given twice";
  EXPECT_EQ(run_autokernel(
                {"bench", "--device", "cpu", "--kernel",
                 std::string(AUTOKERNEL_SOURCES) + "/tests/data/kernels/wrong_in_one_element.cu"})
                .code,
            11);
}

TEST_F(BadKernels, AnOutputThatIsNotWrittenIsIncorrect) {
  expect_failure(bench("writes_nothing"), 11, "incorrect");
}

TEST_F(BadKernels, AWriteOutOfBoundsIsNotAccepted) {
  const Outcome run = bench("writes_out_of_bounds");
  expect_failure(run, 14, "crashed");
  EXPECT_THAT(value_of("reason", run.out), ContainsRegex("bound|outside|illegal"));
}

TEST_F(BadKernels, AKernelThatNeverEndsIsTimedOut) {
  const Outcome run = bench("never_ends", {"--timeout", "2"});
  expect_failure(run, 13, "timed_out");
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("2 s"));
  EXPECT_LT(run.seconds, 10);
}

TEST_F(BadKernels, ATrapIsACrash) { expect_failure(bench("traps"), 14, "crashed"); }

}  // namespace
}  // namespace autokernel::test
