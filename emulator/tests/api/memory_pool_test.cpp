#include "api/emulated_device.h"

namespace emulator::api {
namespace {

class Pools : public EmulatedDevice {
 protected:
  static CUmemoryPool new_pool() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    return pool;
  }
  static cuuint64_t amount(CUmemoryPool pool, CUmemPool_attribute which) {
    cuuint64_t value = ~cuuint64_t{0};
    EXPECT_EQ(cuMemPoolGetAttribute(pool, which, &value), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Pools, CountWhatIsTakenFromThem) {
  const CUmemoryPool pool = new_pool();
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  CUmemoryPool of_second = nullptr;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&first, 1000, pool, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&second, 24, pool, nullptr), CUDA_SUCCESS);

  EXPECT_EQ(launch(kernel(kStoreIndex), {.block = 6}, second), CUDA_SUCCESS);
  EXPECT_EQ(read(second, 6)[5], 5);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024);
  EXPECT_EQ(cuPointerGetAttribute(static_cast<void*>(&of_second),
                                  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, second),
            CUDA_SUCCESS);
  EXPECT_EQ(of_second, pool);
  EXPECT_EQ(cuMemFreeAsync(first, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(second), CUDA_SUCCESS);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024);
  cuuint64_t zero = 0;
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero), CUDA_SUCCESS);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0);
  EXPECT_EQ(cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pools, KeepTheirAttributes) {
  const CUmemoryPool pool = new_pool();
  int reuse = 0;
  cuuint64_t threshold = 12345;
  cuuint64_t one = 1;

  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
            CUDA_SUCCESS);
  reuse = 7;
  EXPECT_EQ(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse),
            CUDA_SUCCESS);
  EXPECT_EQ(reuse, 0);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 12345);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &one),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &one),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

TEST_F(Pools, TakeThePlaceOfTheDevicesOwn) {
  CUmemoryPool standard = nullptr;
  CUmemoryPool current = nullptr;
  const CUmemoryPool pool = new_pool();
  CUdeviceptr address = 0;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&standard, device), CUDA_SUCCESS);

  EXPECT_EQ(cuDeviceSetMemPool(device, pool), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetMemPool(&current, device), CUDA_SUCCESS);
  EXPECT_EQ(current, pool);
  EXPECT_EQ(cuMemAllocAsync(&address, 8, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(amount(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 8);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetMemPool(&current, device), CUDA_SUCCESS);
  EXPECT_EQ(current, standard);
  EXPECT_EQ(cuMemFreeAsync(address, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&address, 8, made_up<CUmemoryPool>(), nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Pools, ForOtherProcessesOrPlacesAreRefused) {
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemoryPool pool = nullptr;

  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_NOT_SUPPORTED);
  properties.handleTypes = CU_MEM_HANDLE_TYPE_NONE;
  properties.location.id = 1;
  EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_ERROR_INVALID_DEVICE);
}

using Managed = EmulatedDevice;

TEST_F(Managed, MemoryIsReachedFromBothSides) {
  CUdeviceptr address = 0;
  unsigned is_managed = 0;
  CUmemorytype type{};
  ASSERT_EQ(cuMemAllocManaged(&address, 256, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};

  EXPECT_EQ(cuMemPrefetchAsync(address, 256, here, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise(address, 256, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel(kStoreIndex), {.grid = 2}, address), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(std::bit_cast<std::uint32_t*>(address)[63], 63);
  EXPECT_EQ(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address),
            CUDA_SUCCESS);
  EXPECT_EQ(is_managed, 1);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(cuMemPrefetchAsync(address, 257, here, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise(address, 256, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Managed, OtherPointersAreKnownToBeUnknown) {
  int on_stack = 0;
  CUcontext owner = context;
  int ordinal = 0;
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* data[] = {static_cast<void*>(&owner), &ordinal};

  EXPECT_EQ(cuPointerGetAttributes(2, which, data, reinterpret_cast<CUdeviceptr>(&on_stack)),
            CUDA_SUCCESS);

  EXPECT_EQ(owner, nullptr);
  EXPECT_EQ(ordinal, CU_DEVICE_INVALID);
}

}  // namespace
}  // namespace emulator::api
