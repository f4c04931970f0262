#include <cstring>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Device : public EmulatedDevice {
 protected:
  [[nodiscard]] int attribute(CUdevice_attribute which) const {
    int value = -1;
    EXPECT_EQ(cuDeviceGetAttribute(&value, which, device), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Device, ThereIsExactlyOne) {
  int count = 0;
  CUdevice other = 0;

  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cuDeviceGet(&other, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGet(&other, -1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, NameSaysThatItIsEmulated) {
  char name[256];

  ASSERT_EQ(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);

  EXPECT_THAT(name, StartsWith("CPU, emulated CUDA driver ("));
  EXPECT_THAT(name, testing::AnyOf(EndsWith(" threads)"), EndsWith(" thread)")));
}

TEST_F(Device, NameIsCutToTheRoomGiven) {
  char name[8];

  ASSERT_EQ(cuDeviceGetName(name, sizeof name, device), CUDA_SUCCESS);

  EXPECT_STREQ(name, "CPU, em");
}

TEST_F(Device, HasTheLimitsOfAHopperGpu) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49152);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), 232448);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
}

TEST_F(Device, KnowsTheMachineItRunsOn) {
  std::size_t bytes = 0;

  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1);
  EXPECT_GT(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 100000);
  EXPECT_EQ(cuDeviceTotalMem(&bytes, device), CUDA_SUCCESS);
  EXPECT_GT(bytes, std::size_t{1} << 28);
}

TEST_F(Device, RefusesAttributesThatDoNotExist) {
  int value = 0;

  EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, device),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Device, IsFoundByItsPlaceOnTheBus) {
  char id[32];
  CUdevice found = -1;
  ASSERT_EQ(cuDeviceGetPCIBusId(id, sizeof id, device), CUDA_SUCCESS);

  EXPECT_EQ(cuDeviceGetByPCIBusId(&found, id), CUDA_SUCCESS);
  EXPECT_EQ(found, device);
  EXPECT_EQ(cuDeviceGetByPCIBusId(&found, "0000:01:00.0"), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Device, AnswersEveryAttributeThereIs) {
  for (int which = 1; which < CU_DEVICE_ATTRIBUTE_MAX; ++which) {
    int value = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), device),
              CUDA_SUCCESS)
        << which;
  }
}

TEST_F(Device, IsNoPeerOfItself) {
  int can = 1;

  EXPECT_EQ(cuDeviceCanAccessPeer(&can, device, device), CUDA_SUCCESS);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&can, device, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuCtxEnablePeerAccess(context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
}

TEST_F(Device, IdentifiesItselfTheSameWayEachTime) {
  CUuuid first{};
  CUuuid second{};

  EXPECT_EQ(cuDeviceGetUuid(&first, device), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetUuid(&second, device), CUDA_SUCCESS);

  EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
}

TEST_F(Device, DriverIsOfTheVersionOfTheHeaders) {
  int version = 0;

  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, CUDA_VERSION);
  EXPECT_STRNE(emuVersion(), "");
}

TEST_F(Device, SaysHowItRunsKernels) {
  EXPECT_THAT(emuSettings(), testing::MatchesRegex("engine [a-z]+, compilation [a-z]+, [0-9]+ .*"));
}

TEST(Errors, HaveNamesAndDescriptions) {
  const char* text = nullptr;

  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_THAT(text, HasSubstr("illegal memory access"));
}

TEST(Errors, ThatDoNotExistHaveNoName) {
  const char* text = "before";

  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(998), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(Initialization, TakesNoFlags) { EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE); }

TEST(EntryPoints, AreFoundByName) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};

  EXPECT_EQ(cuGetProcAddress("cuMemAlloc", &function, 12000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(function, reinterpret_cast<void*>(cuMemAlloc));
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
}

TEST(EntryPoints, AreFoundInTheVersionAskedFor) {
  void* old = nullptr;
  void* current = nullptr;

  EXPECT_EQ(cuGetProcAddress("cuCtxCreate", &old, 11000, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuGetProcAddress("cuCtxCreate", &current, 13000, 0, nullptr), CUDA_SUCCESS);

  EXPECT_NE(old, current);
  EXPECT_EQ(current, reinterpret_cast<void*>(cuCtxCreate));
}

TEST(EntryPoints, ForAStreamOfEachThreadAreOthers) {
  void* legacy = nullptr;
  void* own = nullptr;
  void* query = nullptr;

  EXPECT_EQ(cuGetProcAddress("cuLaunchKernel", &legacy, 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM,
                             nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGetProcAddress("cuLaunchKernel", &own, 13000,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGetProcAddress("cuDeviceGet", &query, 13000,
                             CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr),
            CUDA_SUCCESS);

  EXPECT_EQ(legacy, reinterpret_cast<void*>(cuLaunchKernel));
  EXPECT_NE(legacy, own);
  EXPECT_EQ(query, reinterpret_cast<void*>(cuDeviceGet));
}

TEST(EntryPoints, OfLaterVersionsAreNotFoundInEarlierOnes) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};

  EXPECT_EQ(cuGetProcAddress("cuLibraryLoadData", &function, 11080, 0, &status),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST(EntryPoints, OfWhatTheDeviceHasNotRefuseButAreThere) {
  void* function = nullptr;

  EXPECT_EQ(cuArrayCreate(nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGetProcAddress("cuArrayCreate", &function, 13000, 0, nullptr), CUDA_ERROR_NOT_FOUND);
}

TEST(EntryPoints, ThatDoNotExistAreNotFound) {
  int something = 0;
  void* function = &something;
  CUdriverProcAddressQueryResult status{};

  EXPECT_EQ(cuGetProcAddress("cuNoSuchThing", &function, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

}  // namespace
}  // namespace emulator::api
