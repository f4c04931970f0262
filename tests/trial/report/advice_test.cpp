#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/trial/verdicts.h"

namespace autokernel::trial {
namespace {

using testing::HasSubstr;

std::string advice(const Result& result) { return finding(result).advice(result); }

Result emulated(Verdict verdict, Cause cause) {
  Result result;
  result.verdict = verdict;
  result.cause = cause;
  result.device = DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  return result;
}

Result with(Verdict verdict) {
  Result result;
  result.verdict = verdict;
  return result;
}

TEST(Advice, OnACrashWithoutTheEmulatedDeviceIsToUseIt) {
  EXPECT_THAT(advice(with(Verdict::crashed)), HasSubstr("--device cpu"));
}

TEST(Advice, OnACrashOfTheEmulatedDeviceIsNotToUseIt) {
  Result result = with(Verdict::crashed);
  result.device = DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  EXPECT_THAT(advice(result), testing::Not(HasSubstr("--device cpu")));
}

TEST(Advice, OnAMisalignedAccessIsToStartItWhereItMay) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::misaligned)), HasSubstr("multiple of"));
}

TEST(Advice, OnAnAccessOutOfBoundsIsToCheckTheIndex) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::out_of_bounds)), HasSubstr("the index"));
}

TEST(Advice, OnABarrierThatNotAllReachIsToMoveIt) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::barrier)),
              HasSubstr("every thread of the block must reach a barrier"));
}

TEST(Advice, OnResultsThatDifferAsksForARace) {
  EXPECT_THAT(advice(emulated(Verdict::incorrect, Cause::race)), HasSubstr("a race?"));
}

TEST(Advice, OnAnInfiniteResultNamesABarrierLastAndOnlyWhereMemoryIsShared) {
  Result result = emulated(Verdict::incorrect, Cause::not_finite);
  EXPECT_THAT(advice(result), HasSubstr("overflow, a division by 0"));
  EXPECT_THAT(advice(result), testing::Not(HasSubstr("__syncthreads")));
  result.resources = ResourceReport{.registers = 32, .spill_bytes = 0, .shared_bytes = 64};
  EXPECT_THAT(advice(result), HasSubstr("overflow, a division by 0"));
  EXPECT_THAT(advice(result), HasSubstr("__syncthreads"));
}

TEST(Advice, OnResultsThatDifferAlsoNamesSharedMemoryThatNobodyWrote) {
  EXPECT_THAT(advice(emulated(Verdict::incorrect, Cause::race)),
              HasSubstr("a __shared__ element that is read but never written"));
}

TEST(Advice, OnMemoryOfABlockOrAThreadIsNotAboutTensors) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::out_of_shared)),
              HasSubstr("the size of the __shared__ variable"));
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::out_of_local)),
              HasSubstr("the size of the thread's own array"));
}

TEST(Advice, OnANullPointerSaysThatNothingSetIt) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::null_pointer)),
              HasSubstr("the pointer is null"));
}

TEST(Advice, OnACallOfNoFunctionIsAboutThePointer) {
  EXPECT_THAT(advice(emulated(Verdict::crashed, Cause::bad_call)),
              HasSubstr("the function pointer was never set"));
}

TEST(Advice, OnAChangedInputAsksForTheOrderOfTheParameters) {
  EXPECT_THAT(advice(emulated(Verdict::incorrect, Cause::input_changed)),
              HasSubstr("in the order of case.toml"));
}

TEST(Advice, OnAnElementThatNobodyWroteIsAboutTheGrid) {
  EXPECT_THAT(advice(emulated(Verdict::incorrect, Cause::never_written)), HasSubstr("the grid"));
}

TEST(Advice, OnAWrongResultSaysThatMemoryBeginsWithRandomBits) {
  EXPECT_THAT(advice(emulated(Verdict::incorrect, Cause::unknown)), HasSubstr("random bits"));
}

TEST(Advice, OnWhatTheEmulatedDeviceLacksIsToTakeAnotherWayOrAGpu) {
  EXPECT_EQ(
      advice(emulated(Verdict::unsupported, Cause::unknown)),
      "write it another way, or measure on a GPU (bench --device cuda, or a separate run there)");
}

TEST(Advice, OnACompileThatTakesTooLongIsNotOfLoops) {
  Result result = emulated(Verdict::timed_out, Cause::unknown);
  EXPECT_THAT(advice(result), HasSubstr("where reason says the warps stand"));
  result.lost_in = Phase::compile;
  EXPECT_THAT(advice(result), HasSubstr("unroll less"));
}

TEST(Advice, OnATimeOutNamesTheOptionForMoreTime) {
  EXPECT_THAT(advice(with(Verdict::timed_out)), HasSubstr("--timeout"));
}

TEST(Advice, OnEmulatedTimesWarnsThatTheySayNothingAboutAGpu) {
  Result result = with(Verdict::correct);
  result.device = DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  EXPECT_THAT(advice(result), HasSubstr("measure on a GPU"));
}

TEST(Advice, OnSpilledRegistersNamesThem) {
  Result result = with(Verdict::correct);
  result.resources = ResourceReport{.registers = 255, .spill_bytes = 16, .shared_bytes = 0};
  EXPECT_THAT(advice(result), HasSubstr("registers spill"));
}

TEST(Advice, IsGivenForEveryVerdict) {
  EXPECT_FALSE(advice(with(Verdict::correct)).empty());
  EXPECT_FALSE(advice(with(Verdict::incorrect)).empty());
  EXPECT_FALSE(advice(with(Verdict::does_not_compile)).empty());
}

}  // namespace
}  // namespace autokernel::trial
