#include <algorithm>
#include <numeric>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

class DeviceMemory : public EmulatedDevice {
 protected:
  [[nodiscard]] static std::vector<std::uint32_t> counting(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    std::iota(words.begin(), words.end(), 0U);
    return words;
  }
};

TEST_F(DeviceMemory, GivesBackWhatWasCopiedIn) {
  const auto words = counting(1000);
  const CUdeviceptr first = allocate(4000);
  const CUdeviceptr second = allocate(4000);

  EXPECT_EQ(cuMemcpyHtoD(first, words.data(), 4000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoD(second, first, 4000), CUDA_SUCCESS);

  EXPECT_EQ(read(second, 1000), words);
}

TEST_F(DeviceMemory, IsNotZeroAtFirst) {
  const auto words = read(allocate(4096), 1024);

  EXPECT_LT(std::count(words.begin(), words.end(), 0U), 8);
}

TEST_F(DeviceMemory, IsFilledInAllWidths) {
  const CUdeviceptr address = allocate(12);

  EXPECT_EQ(cuMemsetD8(address, 0x11, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD16(address + 4, 0x2233, 2), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(address + 8, 0x44556677, 1), CUDA_SUCCESS);

  EXPECT_EQ(read(address, 3), (std::vector<std::uint32_t>{0x11111111, 0x22332233, 0x44556677}));
}

TEST_F(DeviceMemory, CopiesBeyondItsEndAreRefused) {
  const CUdeviceptr address = allocate(100);
  char buffer[200];

  EXPECT_EQ(cuMemcpyDtoH(buffer, address, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD(address + 1, buffer, 100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoD(address, address + 64, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8(address, 0, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(address, 0, std::size_t{1} << 62), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DeviceMemory, CopiesFromAndToNullAreRefused) {
  const CUdeviceptr address = allocate(100);

  EXPECT_EQ(cuMemcpyHtoD(address, nullptr, 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH(nullptr, address, 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoD(0, address, 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD(0, nullptr, 0), CUDA_SUCCESS);
}

TEST_F(DeviceMemory, FillsMustBeAligned) {
  EXPECT_EQ(cuMemsetD32(allocate(100) + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DeviceMemory, IsFreedOnce) {
  const CUdeviceptr address = allocate(100);

  EXPECT_EQ(cuMemFree(address + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(0), CUDA_SUCCESS);
}

TEST_F(DeviceMemory, CannotBeHadWithoutSizeOrBeyondTheMachine) {
  CUdeviceptr address = 0;

  EXPECT_EQ(cuMemAlloc(&address, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(nullptr, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc(&address, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemAlloc(&address, ~std::size_t{0}), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(DeviceMemory, AddressesLeadToTheirAllocation) {
  const CUdeviceptr address = allocate(1000);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;

  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, address + 500), CUDA_SUCCESS);
  EXPECT_EQ(base, address);
  EXPECT_EQ(bytes, 1000);
}

TEST_F(DeviceMemory, PointersTellWhatTheyPointTo) {
  const CUdeviceptr address = allocate(1000);
  CUmemorytype type{};
  CUcontext owner = nullptr;
  int on_stack = 0;

  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(
      cuPointerGetAttribute(static_cast<void*>(&owner), CU_POINTER_ATTRIBUTE_CONTEXT, address),
      CUDA_SUCCESS);
  EXPECT_EQ(owner, context);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(&on_stack)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DeviceMemory, MoreIsInTheMachineThanIsFree) {
  std::size_t available = 0;
  std::size_t total = 0;

  EXPECT_EQ(cuMemGetInfo(&available, &total), CUDA_SUCCESS);
  EXPECT_GT(available, 0);
  EXPECT_GE(total, available);
}

TEST_F(DeviceMemory, PageLockedMemoryIsSeenByBothSides) {
  void* host = nullptr;
  CUdeviceptr address = 0;
  ASSERT_EQ(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  ASSERT_EQ(cuMemHostGetDevicePointer(&address, host, 0), CUDA_SUCCESS);

  EXPECT_EQ(launch(kernel(kStoreIndex), {.grid = 2}, address), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);

  EXPECT_EQ(static_cast<std::uint32_t*>(host)[63], 63);
  EXPECT_EQ(cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DeviceMemory, TheProgramsOwnMemoryCanBeRegistered) {
  std::vector<std::uint32_t> own(1024);
  CUdeviceptr address = 0;

  EXPECT_EQ(cuMemHostGetDevicePointer(&address, own.data(), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister(own.data(), 4096, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister(own.data(), 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(cuMemHostGetDevicePointer(&address, own.data(), 0), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel(kStoreIndex), {}, address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(own.data()), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostUnregister(own.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);

  EXPECT_EQ(own[31], 31);
}

TEST_F(DeviceMemory, CopiesFindTheirDirectionThemselves) {
  const auto words = counting(16);
  std::vector<std::uint32_t> back(16);
  const CUdeviceptr address = allocate(64);

  EXPECT_EQ(cuMemcpy(address, reinterpret_cast<CUdeviceptr>(words.data()), 64), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), address, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy(address + 32, address, 64), CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(back, words);
}

}  // namespace
}  // namespace emulator::api
