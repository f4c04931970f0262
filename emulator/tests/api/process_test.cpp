// What happens to the driver when its process forks or ends. Each runs in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

class Process : public EmulatedDevice {
 protected:
  // The child would otherwise be a fork of a process with threads.
  void SetUp() override {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EmulatedDevice::SetUp();
  }
};

TEST_F(Process, EndsAtOnceThoughAKernelNeverDoes) {
  const auto end_while_a_kernel_spins = [] {
    void* flag = nullptr;
    cuMemHostAlloc(&flag, 4, 0);
    std::memset(flag, 0, 4);
    launch(kernel(kWaitForFlag), {.block = 1}, reinterpret_cast<CUdeviceptr>(flag));
    std::exit(7);
  };

  EXPECT_EXIT(end_while_a_kernel_spins(), testing::ExitedWithCode(7), "");
}

TEST_F(Process, CanCallTheDriverFromItsExitHandlers) {
  const auto end_with_a_late_call = [] {
    std::atexit([] { std::_Exit(cuCtxSynchronize() == CUDA_SUCCESS ? 3 : 4); });
    std::exit(0);
  };

  EXPECT_EXIT(end_with_a_late_call(), testing::ExitedWithCode(3), "");
}

TEST_F(Process, ThatForkedHasNoDriverInTheChild) {
  const pid_t child = fork();
  if (child == 0) _exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);

  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

}  // namespace
}  // namespace emulator::api
