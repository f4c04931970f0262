#include <thread>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using Contexts = EmulatedDevice;

CUcontext current() {
  CUcontext handle = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&handle), CUDA_SUCCESS);
  return handle;
}

TEST_F(Contexts, AreCurrentOnceMade) { EXPECT_EQ(current(), context); }

TEST_F(Contexts, AreCurrentInTheThreadThatMadeThemOnly) {
  CUcontext elsewhere = context;
  CUresult result = CUDA_SUCCESS;

  std::thread([&] {
    cuCtxGetCurrent(&elsewhere);
    result = cuCtxSynchronize();
  }).join();

  EXPECT_EQ(elsewhere, nullptr);
  EXPECT_EQ(result, CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, ArePushedAndPopped) {
  CUcontext popped = nullptr;
  ASSERT_EQ(cuCtxPushCurrent(context), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, context);
  EXPECT_EQ(current(), context);
}

TEST_F(Contexts, ThatDoNotExistAreRefused) {
  const auto garbage = made_up<CUcontext>();

  EXPECT_EQ(cuCtxSetCurrent(garbage), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPushCurrent(garbage), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy(garbage), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy(nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Contexts, AreNeededForMemory) {
  CUcontext popped = nullptr;
  CUdeviceptr address = 0;
  ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);

  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT);

  ASSERT_EQ(cuCtxPushCurrent(popped), CUDA_SUCCESS);
}

TEST_F(Contexts, ThatAreDestroyedSaySoWhereTheyAreStillCurrent) {
  CUcontext second = nullptr;
  CUresult result = CUDA_SUCCESS;
  ASSERT_EQ(cuCtxCreate(&second, nullptr, 0, device), CUDA_SUCCESS);

  std::thread([&] {
    ASSERT_EQ(cuCtxSetCurrent(second), CUDA_SUCCESS);
    std::thread([&] { EXPECT_EQ(cuCtxDestroy(second), CUDA_SUCCESS); }).join();
    result = cuCtxSynchronize();
  }).join();
  ASSERT_EQ(cuCtxPopCurrent(&second), CUDA_SUCCESS);

  EXPECT_EQ(result, CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(Contexts, KeepTheLimitsSet) {
  std::size_t value = 0;

  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 4096);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 1U << 20);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

TEST_F(Contexts, OfADeviceThatDoesNotExistAreRefused) {
  CUcontext made = nullptr;

  EXPECT_EQ(cuCtxCreate(&made, nullptr, 0, 3), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxCreate(nullptr, nullptr, 0, device), CUDA_ERROR_INVALID_VALUE);
}

class PrimaryContext : public EmulatedDevice {
 protected:
  [[nodiscard]] bool is_active() const {
    unsigned flags = 0;
    int active = 0;
    EXPECT_EQ(cuDevicePrimaryCtxGetState(device, &flags, &active), CUDA_SUCCESS);
    return active != 0;
  }
};

TEST_F(PrimaryContext, IsTheSameForAllWhoRetainIt) {
  CUcontext first = nullptr;
  CUcontext second = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&first, device), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&second, device), CUDA_SUCCESS);

  EXPECT_EQ(first, second);
  EXPECT_TRUE(is_active());

  ASSERT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
  EXPECT_TRUE(is_active());
  ASSERT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
  EXPECT_FALSE(is_active());
  EXPECT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(PrimaryContext, IsNotDestroyedLikeOthers) {
  CUcontext primary = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);

  ASSERT_EQ(cuDevicePrimaryCtxReset(device), CUDA_SUCCESS);
  EXPECT_FALSE(is_active());
}

}  // namespace
}  // namespace emulator::api
