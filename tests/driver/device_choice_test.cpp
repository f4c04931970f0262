#include "autokernel/driver/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"

namespace autokernel::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Kind = DeviceChoice::Kind;

TEST(DeviceChoice, AutoIsTheDefault) { EXPECT_EQ(parse_device("auto"), DeviceChoice{}); }

TEST(DeviceChoice, CudaAloneIsTheFirstGpu) {
  EXPECT_EQ(parse_device("cuda"), (DeviceChoice{Kind::cuda, 0}));
}

TEST(DeviceChoice, CudaTakesANumber) {
  EXPECT_EQ(parse_device("cuda:12"), (DeviceChoice{Kind::cuda, 12}));
}

TEST(DeviceChoice, CpuIsTheEmulatedDevice) {
  EXPECT_EQ(parse_device("cpu"), (DeviceChoice{Kind::cpu, 0}));
}

class SpelledChoice : public ::testing::TestWithParam<DeviceChoice> {};

TEST_P(SpelledChoice, ReadsBackAsItself) {
  EXPECT_EQ(parse_device(spelling(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Every, SpelledChoice,
                         ::testing::Values(DeviceChoice{}, DeviceChoice{Kind::cuda, 0},
                                           DeviceChoice{Kind::cuda, 3}, DeviceChoice{Kind::cpu, 0},
                                           DeviceChoice{Kind::cuda, 1, "ssh://me@there:22"}));

class NoSuchDevice : public ::testing::TestWithParam<std::string> {};

TEST_P(NoSuchDevice, IsAUsageErrorThatNamesWhatIsAllowed) {
  try {
    static_cast<void>(parse_device(GetParam()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'" + GetParam() + "'"), HasSubstr("auto, cuda, cuda:N")));
  }
}

INSTANTIATE_TEST_SUITE_P(Misspelled, NoSuchDevice,
                         ::testing::Values("", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1",
                                           "cuda:99999999999", "CPU", "cpu:0", "auto "));

}  // namespace
}  // namespace autokernel::driver
