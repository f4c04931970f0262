#include "trial/supervise/lost_runner.h"

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

TEST(LostRunner, PastItsDeadlineIsATimeOutThatNamesPhaseAndLimit) {
  const Result result = past_deadline(Phase::check, Seconds(2.5));
  EXPECT_EQ(result.verdict, Verdict::timed_out);
  EXPECT_EQ(result.reason, "checking the kernel took more than 2.5 s (--timeout)");
}

TEST(LostRunner, WhoseCompilerTakesTooMuchMemoryMeansThatTheKernelDoesNotCompile) {
  const Result result = over_memory_limit(Phase::compile, 5 * kGiB, 4 * kGiB);
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(
      result.reason,
      "compiling the kernel and opening the device held 5120 MiB of memory, 4096 are allowed");
}

TEST(LostRunner, WhoseKernelTakesTooMuchMemoryIsACrash) {
  EXPECT_EQ(over_memory_limit(Phase::check, 5 * kGiB, 4 * kGiB).verdict, Verdict::crashed);
  EXPECT_EQ(over_memory_limit(Phase::time, 5 * kGiB, 4 * kGiB).verdict, Verdict::crashed);
}

TEST(LostRunner, ThatWasKilledIsACrashThatNamesSignalAndPhase) {
  const Result result = ended_without_result(Phase::time, {.code = 0, .signal = SIGSEGV}, "");
  EXPECT_EQ(result.verdict, Verdict::crashed);
  EXPECT_EQ(result.reason, "the runner was killed by SIGSEGV while timing the kernel");
}

TEST(LostRunner, ThatWasKilledOutrightPointsAtTheSystemsMemory) {
  EXPECT_THAT(ended_without_result(Phase::check, {.code = 0, .signal = SIGKILL}, "").reason,
              HasSubstr("out-of-memory"));
}

TEST(LostRunner, WhoseCompilerCrashesMeansThatTheKernelDoesNotCompileInTheCompilersWords) {
  const Ending crash{.code = compile::kCompilerCrashed, .signal = 0};
  const Result result =
      ended_without_result(Phase::compile, crash, "before\nkernel.cu: it crashed\n");
  EXPECT_EQ(result.verdict, Verdict::does_not_compile);
  EXPECT_EQ(result.reason, "kernel.cu: it crashed");

  EXPECT_THROW((void)ended_without_result(Phase::check, crash, "kernel.cu: it crashed\n"), Error);
}

TEST(LostRunner, ThatEndsWithoutAResultIsAnErrorThatQuotesItsLastLine) {
  EXPECT_THAT(
      [] {
        (void)ended_without_result(Phase::check, {.code = 9, .signal = 0}, "first\nlast words\n\n");
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("ended with code 9 and no result while checking"),
                                 HasSubstr("it last printed: last words"))));
}

TEST(LostRunner, BeforeItReachesTheKernelBlamesTheMachine) {
  const auto blames_machine = testing::Throws<Error>(Property(&Error::stop, Stop::environment));
  EXPECT_THAT([] { (void)past_deadline(Phase::start, Seconds(60)); }, blames_machine);
  EXPECT_THAT([] { (void)over_memory_limit(Phase::start, 5 * kGiB, 4 * kGiB); }, blames_machine);
  EXPECT_THAT([] { (void)ended_without_result(Phase::start, {.code = 0, .signal = SIGSEGV}, ""); },
              blames_machine);
}

TEST(LostRunner, WhileNoneOfTheCandidatesCodeIsLoadedBlamesTheMachine) {
  const auto blames_machine = testing::Throws<Error>(Property(&Error::stop, Stop::environment));
  EXPECT_THAT([] { (void)past_deadline(Phase::harness, Seconds(60)); }, blames_machine);
  EXPECT_THAT([] { (void)over_memory_limit(Phase::harness, 5 * kGiB, 4 * kGiB); }, blames_machine);
  EXPECT_THAT(
      [] { (void)ended_without_result(Phase::harness, {.code = 0, .signal = SIGSEGV}, ""); },
      blames_machine);
}

}  // namespace
}  // namespace autokernel::trial
