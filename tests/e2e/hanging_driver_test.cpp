// A call of the driver never returns: the deadline of the phase ends it, and so does a signal.
// Waiting is what takes the time here, so that a few calls stand for all; AUTOKERNEL_TEST_FULL=1
// tries every one.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "e2e/faulty_gpu.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Values;

class AHang : public FaultyGpu, public testing::WithParamInterface<const char*> {
 protected:
  void expect_end_at_the_deadline() const {
    const Outcome run =
        bench_with_in_launcher(of_the_kernel(GetParam()) + ":hang", {"--timeout", "2"});
    expect_rejection(run, 13, "timed_out");
    EXPECT_THAT(value_of("reason", run.out), HasSubstr("took more than 2 s"));
    // A second for the phases before, and one for the end; more on a busy machine or with
    // sanitizers.
    EXPECT_LT(run.seconds, 10);
    expect_nothing_left();
  }
};
std::string test_name(const testing::TestParamInfo<const char*>& info) {
  return plain_name(info.param);
}

TEST_P(AHang, IsEndedByTheDeadlineOfItsPhase) { expect_end_at_the_deadline(); }
INSTANTIATE_TEST_SUITE_P(OfTheDriver, AHang,
                         Values("cuDevicePrimaryCtxRetain", "cuStreamSynchronize"), test_name);

class AHangOfAnyOther : public AHang {};
TEST_P(AHangOfAnyOther, IsEndedByTheDeadlineOfItsPhase) {
  if (!everything_is_wanted())
    GTEST_SKIP() << "a few calls stand for all; AUTOKERNEL_TEST_FULL=1 tries them";
  expect_end_at_the_deadline();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, AHangOfAnyOther,
                         Values("cuCtxSetCurrent", "cuCtxSetLimit", "cuCtxResetPersistingL2Cache",
                                "cuModuleLoadDataEx", "cuModuleUnload", "cuModuleGetFunction",
                                "cuModuleGetGlobal_v2", "cuFuncSetAttribute", "cuFuncGetParamInfo",
                                "cuLaunchKernelEx", "cuMemAlloc_v2", "cuMemFree_v2",
                                "cuMemcpyDtoH_v2", "cuMemsetD8Async", "cuStreamCreate",
                                "cuStreamDestroy_v2", "cuEventCreate", "cuEventDestroy_v2",
                                "cuEventRecord", "cuEventElapsedTime"),
                         test_name);

using HangingDriver = FaultyGpu;

TEST_F(HangingDriver, BeforeTheKernelIsReachedIsTheMachinesFault) {
  if (!everything_is_wanted()) GTEST_SKIP() << "a minute; AUTOKERNEL_TEST_FULL=1 takes it";
  expect_refusal(bench_with("cuInit:1:hang"), 3,
                 "took more than 60 s before it reached the kernel");
  expect_nothing_left();
}

TEST_F(HangingDriver, WhileTheGateOfTheTimedLaunchesIsMadeIsTheMachinesFault) {
  expect_refusal(bench_with(of_the_gate() + ":hang", {"--timeout", "2"}), 3,
                 "took more than 2 s while none of the kernel's code was loaded");
  expect_nothing_left();
}

TEST_F(HangingDriver, AfterTheVerdictChangesNothing) {
  const Outcome run = bench_with("cuDevicePrimaryCtxRelease_v2:1:hang");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

// A signal in each phase: which call hangs decides where the bench stands when it comes.
struct Stand {
  const char* phase;
  std::string call;  // and which
};

class ASignal : public FaultyGpu, public testing::WithParamInterface<std::tuple<Stand, int>> {};

TEST_P(ASignal, EndsTheBenchInAnyPhase) {
  const auto& [stand, signal] = GetParam();
  if (signal == SIGTERM && stand.phase != std::string("check") && !everything_is_wanted())
    GTEST_SKIP() << "SIGINT stands for it; AUTOKERNEL_TEST_FULL=1 takes it";
  const std::string entered = std::string("entered phase ") + stand.phase;
  RunningProgram program(on_gpu(stand.call + ":hang", {"--verbose"}));
  const auto deadline = steady_clock::now() + seconds{60};
  while (program.err_so_far().find(entered) == std::string::npos &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds{10});
  }
  program.send(signal);
  const Outcome run = program.wait(seconds{90});
  EXPECT_EQ(run.code, 128 + signal);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(run.err, AllOf(HasSubstr(entered), HasSubstr("autokernel: interrupted")));
  expect_nothing_left();
  expect_sound_next_bench();
}
std::string signal_and_phase(const testing::TestParamInfo<ASignal::ParamType>& info) {
  const bool interrupted = std::get<int>(info.param) == SIGINT;
  return std::string(interrupted ? "SIGINT" : "SIGTERM") + "_in_" +
         std::get<Stand>(info.param).phase;
}
INSTANTIATE_TEST_SUITE_P(
    OfTheUser, ASignal,
    testing::Combine(Values(Stand{"start", "cuInit:1"}, Stand{"compile", "cuCtxSetCurrent:1"},
                            Stand{"check", "cuStreamSynchronize:1"}, Stand{"time", of_the_gate()}),
                     Values(SIGINT, SIGTERM)),
    signal_and_phase);

}  // namespace
}  // namespace autokernel::test
