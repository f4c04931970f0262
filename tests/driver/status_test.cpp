#include "driver/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "driver/sound_driver.h"

namespace autokernel::driver {
namespace {

using ::testing::HasSubstr;

std::string message_of(const Api& api, CUresult status) {
  try {
    check(api, status, "cuSomething", "do something", "do something else");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Status, SuccessIsSilent) { EXPECT_EQ(message_of(sound_driver(), CUDA_SUCCESS), ""); }

TEST(Status, AMessageSaysWhatWasAttemptedWhyItFailedWhatToDoAndInWhichCall) {
  EXPECT_EQ(message_of(sound_driver(), CUDA_ERROR_OUT_OF_MEMORY),
            "cannot do something: words of the driver (CUDA_ERROR_OUT_OF_MEMORY, 2); do something "
            "else [cuSomething]");
}

TEST(Status, WithoutTheDriversWordsTheNumberRemains) {
  Api api = sound_driver();
  api.get_error_name = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  api.get_error_string = [](CUresult, const char** text) {
    *text = nullptr;
    return CUDA_SUCCESS;
  };
  EXPECT_THAT(message_of(api, CUDA_ERROR_OUT_OF_MEMORY), HasSubstr("error 2 (2, 2)"));
}

TEST(Status, TheEmulatorsReportReplacesTheDriversWords) {
  Api api = sound_driver();
  api.emu_fault_report = [] { return "thread (1,0,0) read 4 bytes past the end"; };
  EXPECT_EQ(fault(api, CUDA_ERROR_ILLEGAL_ADDRESS, Occasion::run, "cuLaunchKernelEx").text,
            "thread (1,0,0) read 4 bytes past the end");
}

TEST(Status, AnEmptyReportOfTheEmulatorReplacesNothing) {
  Api api = sound_driver();
  api.emu_fault_report = [] { return ""; };
  EXPECT_EQ(fault(api, CUDA_ERROR_ILLEGAL_ADDRESS, Occasion::run, "cuLaunchKernelEx").text,
            "words of the driver");
}

}  // namespace
}  // namespace autokernel::driver
