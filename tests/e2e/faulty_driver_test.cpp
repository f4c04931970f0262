// Each call of the driver fails or crashes in turn: what is to blame is told apart and named, no
// wrong "correct" comes of it, and nothing is left.
#include <gmock/gmock.h>

#include <set>

#include "e2e/faulty_gpu.h"
#include "support/full_test.h"
#include "support/present.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ValuesIn;

using Names = std::vector<std::string>;

// Before the runner reaches the kernel.
const Names& start_calls() {
  static const Names names = {"cuInit",
                              "cuDeviceGetCount",
                              "cuDeviceGet",
                              "cuDeviceGetName",
                              "cuDeviceTotalMem_v2",
                              "cuDeviceGetAttribute",
                              "cuDriverGetVersion"};
  return names;
}

// While the device is opened, which is while the kernel is compiled.
const Names& context_calls() {
  static const Names names = {"cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuCtxSetLimit"};
  return names;
}

// Nothing works without these, and what they report of themselves is the machine's fault.
const Names& working_calls() {
  static const Names names = {"cuCtxResetPersistingL2Cache",
                              "cuModuleLoadDataEx",
                              "cuModuleGetFunction",
                              "cuModuleGetGlobal_v2",
                              "cuFuncSetAttribute",
                              "cuFuncGetParamInfo",
                              "cuLaunchKernelEx",
                              "cuMemAlloc_v2",
                              "cuMemcpyDtoH_v2",
                              "cuMemsetD8Async",
                              "cuStreamCreate",
                              "cuStreamSynchronize",
                              "cuEventCreate",
                              "cuEventRecord",
                              "cuEventElapsedTime"};
  return names;
}

// For the harness's own, which is there before the kernel is loaded.
const Names& harness_calls() {
  static const Names names = {"cuMemHostAlloc", "cuMemHostGetDevicePointer_v2", "cuMemcpyHtoD_v2"};
  return names;
}

// What they give back is gone with the process in any case.
const Names& releases() {
  static const Names names = {"cuModuleUnload", "cuMemFree_v2", "cuMemFreeHost",
                              "cuStreamDestroy_v2", "cuEventDestroy_v2"};
  return names;
}

// After the verdict.
const Names& farewells() {
  static const Names names = {"cuDevicePrimaryCtxRelease_v2"};
  return names;
}

// Asked only where another call has failed.
const Names& texts() {
  static const Names names = {"cuGetErrorName", "cuGetErrorString"};
  return names;
}

// What only doctor asks, and what only a kernel with tensor maps needs.
const Names& calls_of_no_bench() {
  static const Names names = {"cuDeviceGetPCIBusId", "cuTensorMapEncodeTiled",
                              "cuTensorMapEncodeIm2col"};
  return names;
}

// Where a fault of the candidate's own launch comes to light.
const Names& launch_calls() {
  static const Names names = {"cuFuncSetAttribute", "cuLaunchKernelEx", "cuMemsetD8Async",
                              "cuEventRecord", "cuStreamSynchronize"};
  return names;
}

Names joined(std::initializer_list<Names> lists) {
  Names all;
  for (const Names& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Every third, but for the full test: each call is guarded by the same few lines.
std::vector<std::string> some_of(const Names& names) {
  std::vector<std::string> some;
  std::size_t i = 0;
  for (const std::string& name : names)
    if (i++ % 3 == 0 || test::everything_is_wanted()) some.push_back(name);
  return some;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return plain_name(info.param);
}

constexpr const char* kUnknown = ":1:999";     // CUDA_ERROR_UNKNOWN
constexpr const char* kLaunchFailed = ":719";  // CUDA_ERROR_LAUNCH_FAILED

class EachCall : public FaultyGpu, public testing::WithParamInterface<std::string> {
 protected:
  [[nodiscard]] Outcome bench_with_its(const char* fault) const {
    return bench_with(GetParam() + fault);
  }
  // The fault is of the first such call for the kernel itself.
  [[nodiscard]] Outcome bench_with_its_kernels(const char* fault) const {
    return bench_with_in_launcher(of_the_kernel(GetParam()) + fault);
  }
};

class ANecessaryCallThatFails : public EachCall {};
TEST_P(ANecessaryCallThatFails, IsTheMachinesFaultAndIsNamed) {
  const Outcome run = bench_with_its(kUnknown);
  expect_refusal(run, 3, "999)");
  EXPECT_THAT(run.err, EndsWith("[" + plain_name(GetParam()) + "]\n"));
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ANecessaryCallThatFails,
                         ValuesIn(some_of(joined({start_calls(), context_calls(), working_calls(),
                                                  harness_calls()}))),
                         test_name);

class AReleaseThatFails : public EachCall {};
TEST_P(AReleaseThatFails, ChangesNoVerdict) {
  const Outcome run = bench_with_its(kUnknown);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, AReleaseThatFails,
                         ValuesIn(some_of(joined({releases(), farewells(), texts()}))), test_name);

class AFaultOfALaunch : public EachCall {};
TEST_P(AFaultOfALaunch, IsTheKernelsAndTheReasonNamesTheCallThatReportedIt) {
  const Outcome run = bench_with_its_kernels(kLaunchFailed);
  expect_rejection(run, 14, "crashed");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("CUDA_ERROR_LAUNCH_FAILED, 719"), EndsWith("[" + GetParam() + "]"),
                    Not(testing::StartsWith(":"))));
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, AFaultOfALaunch, ValuesIn(launch_calls()), test_name);

class ACrashBeforeTheKernel : public EachCall {};
TEST_P(ACrashBeforeTheKernel, IsTheMachinesFault) {
  expect_refusal(bench_with_its(":1:crash"), 3, "SIGSEGV before it reached the kernel");
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ACrashBeforeTheKernel, ValuesIn(some_of(start_calls())),
                         test_name);

class ACrashWhileTheDeviceIsOpened : public EachCall {};
TEST_P(ACrashWhileTheDeviceIsOpened, NamesBothOfWhatWasUnderWay) {
  const Outcome run = bench_with_its(":1:crash");
  expect_rejection(run, 14, "crashed");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("SIGSEGV"), HasSubstr("compiling"), HasSubstr("opening the device")));
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ACrashWhileTheDeviceIsOpened,
                         ValuesIn(some_of(context_calls())), test_name);

class ACrashWithTheKernel : public EachCall {};
TEST_P(ACrashWithTheKernel, IsClassifiedAndThePhaseIsNamed) {
  const Outcome run = bench_with_its_kernels(":crash");
  expect_rejection(run, 14, "crashed");
  EXPECT_THAT(
      value_of("reason", run.out),
      testing::MatchesRegex("the runner was killed by SIGSEGV while (checking|timing) the kernel"));
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ACrashWithTheKernel,
                         ValuesIn(some_of(joined({working_calls(), releases()}))), test_name);

class ACrashBesideTheKernel : public EachCall {};
TEST_P(ACrashBesideTheKernel, IsTheMachinesFault) {
  expect_refusal(bench_with_its(":1:crash"), 3,
                 "SIGSEGV while none of the kernel's code was loaded");
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ACrashBesideTheKernel, ValuesIn(harness_calls()), test_name);

class ACrashAfterTheVerdict : public EachCall {};
TEST_P(ACrashAfterTheVerdict, ChangesNothing) {
  const Outcome run = bench_with_its(":1:crash");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}
INSTANTIATE_TEST_SUITE_P(OfTheDriver, ACrashAfterTheVerdict, ValuesIn(farewells()), test_name);

class FaultyDriver : public FaultyGpu {};

TEST_F(FaultyDriver, WithoutAFaultPassesForAGpuAndTheWholeProtocolIsFollowed) {
  const Outcome run = bench_with("");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("timing", run.out), "gpu");
  EXPECT_EQ(value_of("iters", run.out), "5 timed (cap 10s)");
  EXPECT_THAT(value_of("event_floor_us", run.out), Not(IsEmpty()));
  EXPECT_THAT(value_of("warm_us", run.out), Not(IsEmpty()));
  expect_nothing_left();
}

TEST_F(FaultyDriver, EveryCallIsInOneOfTheListsHere) {
  const Names known = joined({start_calls(), context_calls(), working_calls(), harness_calls(),
                              releases(), farewells(), texts(), calls_of_no_bench()});
  const std::set<std::string> all = {
#define CALL(name) #name,
#define TEXT(name)
#include "support/faulty_driver/calls.inc"
#undef TEXT
#undef CALL
  };
  EXPECT_EQ(std::set<std::string>(known.begin(), known.end()), all);
  EXPECT_EQ(known.size(), all.size());
}

// The 20th wait is for the third warm-up. Later ones are for this or that: how many warm-ups there
// are depends on the speed of the machine.
TEST_F(FaultyDriver, AFaultOfTheTimingPhaseIsFoundAsOneOfTheCheckIs) {
  const Outcome run = bench_with("cuStreamSynchronize:20:719");
  expect_rejection(run, 14, "crashed");
  EXPECT_THAT(value_of("reason", run.out),
              AllOf(HasSubstr("launch"), EndsWith("[cuStreamSynchronize]")));
}

TEST_F(FaultyDriver, MemoryThatRunsOutIsTheMachinesAndHasARemedy) {
  expect_refusal(bench_with("cuMemAlloc_v2:3:2"), 3, "end other users of the device");
}

TEST_F(FaultyDriver, ALaunchThatIsRefusedNamesTheDeclaration) {
  const Outcome run = bench_with_in_launcher(of_the_kernel("cuLaunchKernelEx") + ":701");
  expect_rejection(run, 14, "crashed");
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("AUTOKERNEL_LAUNCH"));
}

TEST_F(FaultyDriver, ThatTakesNoCodeOfThisToolkitIsNotTakenForABadKernel) {
  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION, and CUDA_ERROR_NO_BINARY_FOR_GPU
  expect_refusal(bench_with("cuModuleLoadDataEx:1:222"), 3, "no older than the toolkit");
  expect_refusal(bench_with("cuModuleLoadDataEx:1:209"), 3, "no older than the toolkit");
  expect_nothing_left();
}

TEST_F(FaultyDriver, WithoutWordsIsQuotedByNumber) {
  Invocation silent = on_gpu("cuInit:1:999");
  silent.environment["AUTOKERNEL_TEST_SILENT"] = "1";
  expect_refusal(test::run(silent), 3, "install NVIDIA's driver or pass --device cpu: error 999");
}

TEST_F(FaultyDriver, OfAnotherTimeIsNamedWithTheRemedy) {
  Invocation old = on_gpu("");
  old.environment["AUTOKERNEL_TEST_VERSION"] = "11040";
  expect_refusal(test::run(old), 3, "it is for CUDA 11.4; install a driver for CUDA 12.4 or later");
}

TEST_F(FaultyDriver, ThatLacksAFunctionIsNamedWithTheRemedy) {
  expect_refusal(bench_on_driver(AUTOKERNEL_OLD_DRIVER), 3,
                 "install a driver for CUDA 12.4 or later");
  expect_nothing_left();
}

TEST_F(FaultyDriver, ThatIsNoLibraryIsNamedWithTheRemedy) {
  scratch_.write("empty", "");
  expect_refusal(bench_on_driver((scratch_.path() / "empty").string()), 3, "pass --device cpu");
  expect_nothing_left();
}

TEST_F(FaultyDriver, OfAPartOfAGpuIsUsedUnderThatName) {
  Invocation part = on_gpu("");
  part.environment["AUTOKERNEL_TEST_DEVICE"] = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";
  part.environment["CUDA_VISIBLE_DEVICES"] = "MIG-5c1f31dc-77a9-5dd7-9a2c-1d9f5a1f6d20";
  const Outcome run = test::run(part);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, testing::StartsWith("Device: NVIDIA H100 80GB HBM3 MIG 1g.10gb\n"));
}

TEST_F(FaultyDriver, HarmsNoLaterBench) {
  EXPECT_EQ(bench_with("cuLaunchKernelEx:1:crash").code, 14);
  expect_sound_next_bench();
  EXPECT_EQ(bench_with("cuMemAlloc_v2:1:2").code, 3);
  expect_sound_next_bench();
}

}  // namespace
}  // namespace autokernel::test
