#include "trial/supervise/fate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "autokernel/base/error.h"
#include "autokernel/compile/compiler.h"

namespace autokernel::trial {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Property;
using testing::ThrowsMessage;
using Seconds = std::chrono::duration<double>;

constexpr std::uint64_t kGiB = 1ULL << 30U;

TEST(Fate, OfAnOverdueKernelIsATimeOutThatNamesPhaseAndLimit) {
  const Result result = overdue(Phase::check, Seconds(2.5));
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_EQ(result.reason, "checking the kernel took more than 2.5 s (--timeout)");
}

TEST(Fate, OfACompilerThatTakesTooMuchMemoryIsThatTheKernelDoesNotCompile) {
  const Result result = oversized(Phase::compile, 5 * kGiB, 4 * kGiB);
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(
      result.reason,
      "compiling the kernel and opening the device held 5120 MiB of memory, 4096 are allowed");
}

TEST(Fate, OfAKernelThatTakesTooMuchMemoryIsACrash) {
  EXPECT_EQ(oversized(Phase::check, 5 * kGiB, 4 * kGiB).verdict, Verdict::crashed);
  EXPECT_EQ(oversized(Phase::time, 5 * kGiB, 4 * kGiB).verdict, Verdict::crashed);
}

TEST(Fate, OfAKilledRunnerIsACrashThatNamesSignalAndPhase) {
  const Result result = fallen_silent(Phase::time, {.code = 0, .signal = SIGSEGV}, "");
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_EQ(result.reason, "the runner was killed by SIGSEGV while timing the kernel");
}

TEST(Fate, OfARunnerKilledOutrightPointsAtTheSystemsMemory) {
  EXPECT_THAT(fallen_silent(Phase::check, {.code = 0, .signal = SIGKILL}, "").reason,
              HasSubstr("out-of-memory"));
}

TEST(Fate, OfACompilerThatCrashesIsThatTheKernelDoesNotCompileInTheCompilersWords) {
  const Ending crash{.code = compile::kCompilerCrashed, .signal = 0};
  const Result result = fallen_silent(Phase::compile, crash, "before\nkernel.cu: it crashed\n");
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(result.reason, "kernel.cu: it crashed");

  EXPECT_THROW((void)fallen_silent(Phase::check, crash, "kernel.cu: it crashed\n"), Error);
}

TEST(Fate, OfARunnerThatEndsWithoutAResultIsAnErrorThatQuotesItsLastLine) {
  EXPECT_THAT(
      [] { (void)fallen_silent(Phase::check, {.code = 9, .signal = 0}, "first\nlast words\n\n"); },
      ThrowsMessage<Error>(AllOf(HasSubstr("ended with code 9 and no result while checking"),
                                 HasSubstr("it last printed: last words"))));
}

TEST(Fate, BeforeTheKernelIsReachedBlamesTheMachine) {
  const auto blames_machine = testing::Throws<Error>(Property(&Error::stop, Stop::environment));
  EXPECT_THAT([] { (void)overdue(Phase::start, Seconds(60)); }, blames_machine);
  EXPECT_THAT([] { (void)oversized(Phase::start, 5 * kGiB, 4 * kGiB); }, blames_machine);
  EXPECT_THAT([] { (void)fallen_silent(Phase::start, {.code = 0, .signal = SIGSEGV}, ""); },
              blames_machine);
}

TEST(Fate, WhileNoneOfTheCandidatesCodeIsLoadedBlamesTheMachine) {
  const auto blames_machine = testing::Throws<Error>(Property(&Error::stop, Stop::environment));
  EXPECT_THAT([] { (void)overdue(Phase::harness, Seconds(60)); }, blames_machine);
  EXPECT_THAT([] { (void)oversized(Phase::harness, 5 * kGiB, 4 * kGiB); }, blames_machine);
  EXPECT_THAT([] { (void)fallen_silent(Phase::harness, {.code = 0, .signal = SIGSEGV}, ""); },
              blames_machine);
}

}  // namespace
}  // namespace autokernel::trial
