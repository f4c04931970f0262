#include "trial/launch/rejection.h"

#include <gmock/gmock.h>

namespace autokernel::trial {
namespace {

using driver::Occasion;
using testing::HasSubstr;

driver::Fault fault(Occasion occasion) {
  driver::Fault fault;
  fault.occasion = occasion;
  fault.code = 701;
  fault.name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
  fault.call = "cuLaunchKernelEx";
  fault.text = "too many resources\nof\nevery\nkind";
  return fault;
}

TEST(Rejection, OfALaunchThatTheDeviceRefusesNamesItAndWhatToChange) {
  const Rejection rejected =
      rejection(fault(Occasion::launch), "f, grid (1,1,1)", "check launch 1");

  EXPECT_EQ(rejected.verdict, Verdict::crashed);
  EXPECT_THAT(rejected.reason, HasSubstr("the device refuses the launch of f, grid (1,1,1): "));
  EXPECT_THAT(rejected.reason, HasSubstr("change AUTOKERNEL_LAUNCH"));
}

TEST(Rejection, OfCodeThatTheDeviceDoesNotTakeIsOneOfTheCompile) {
  EXPECT_EQ(rejection(fault(Occasion::load), "", "loading").verdict, Verdict::does_not_compile);
}

TEST(Rejection, OfARunSaysWhenAndInWhichCallAndKeepsTheWholeTextForTheLog) {
  const Rejection rejected = rejection(fault(Occasion::run), "f", "check launch 1");

  EXPECT_EQ(
      rejected.reason,
      "check launch 1: too many resources\nof\nevery (CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) "
      "[cuLaunchKernelEx]");
  EXPECT_THAT(rejected.detail, HasSubstr("every\nkind"));
}

}  // namespace
}  // namespace autokernel::trial
