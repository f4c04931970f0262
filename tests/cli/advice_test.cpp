#include "cli/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace autokernel::cli {
namespace {

using testing::HasSubstr;
using trial::Result;
using trial::Verdict;

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
  result.device = trial::DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  EXPECT_THAT(advice(result), testing::Not(HasSubstr("--device cpu")));
}

TEST(Advice, OnATimeOutNamesTheOptionForMoreTime) {
  EXPECT_THAT(advice(with(Verdict::timed_out)), HasSubstr("--timeout"));
}

TEST(Advice, OnEmulatedTimesWarnsThatTheySayNothingAboutAGpu) {
  Result result = with(Verdict::correct);
  result.device = trial::DeviceReport{.name = "CPU", .major = 9, .minor = 0, .emulated = true};
  EXPECT_THAT(advice(result), HasSubstr("measure on a GPU"));
}

TEST(Advice, OnSpilledRegistersNamesThem) {
  Result result = with(Verdict::correct);
  result.resources = trial::ResourceReport{.registers = 255, .spill_bytes = 16, .shared_bytes = 0};
  EXPECT_THAT(advice(result), HasSubstr("registers spill"));
}

TEST(Advice, IsGivenForEveryVerdict) {
  EXPECT_FALSE(advice(with(Verdict::correct)).empty());
  EXPECT_FALSE(advice(with(Verdict::incorrect)).empty());
  EXPECT_FALSE(advice(with(Verdict::does_not_compile)).empty());
}

}  // namespace
}  // namespace autokernel::cli
