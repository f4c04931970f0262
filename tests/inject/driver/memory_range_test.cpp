// Where memory begins and ends, of a driver with one allocation and with addresses that are mapped
// in part, as an H100 of driver 580 answered.
#include "driver/memory_range.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace autokernel::inject {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;
constexpr MemoryRange kAllocation{0x700000000, 10 * kMiB};
// Of 64 MiB that are reserved, three pieces are mapped; the first two touch.
constexpr MemoryRange kReserved{0x302000000, 64 * kMiB};
constexpr std::array<MemoryRange, 3> kMapped = {{{kReserved.begin, 4 * kMiB},
                                                 {kReserved.begin + 4 * kMiB, 4 * kMiB},
                                                 {kReserved.begin + 16 * kMiB, 4 * kMiB}}};
constexpr MemoryRange kHost{0x7f0000001000, 4096};

[[nodiscard]] const MemoryRange* mapped(CUdeviceptr address) {
  for (const MemoryRange& piece : kMapped) {
    if (piece.holds(address, 1)) return &piece;
  }
  return nullptr;
}

CUresult get_address_range(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  const MemoryRange* const found = kAllocation.holds(address, 1) ? &kAllocation : mapped(address);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  *base = found->begin;
  *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult pointer_get_attribute(void* value, CUpointer_attribute which, CUdeviceptr address) {
  if (!kHost.holds(address, 1)) return CUDA_ERROR_INVALID_VALUE;
  if (which == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) {
    *static_cast<CUdeviceptr*>(value) = kHost.begin;
  } else {
    *static_cast<std::size_t*>(value) = kHost.bytes;
  }
  return CUDA_SUCCESS;
}

int retained = 0;

CUresult mem_retain(CUmemGenericAllocationHandle* handle, void* address) {
  if (mapped(reinterpret_cast<CUdeviceptr>(address)) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *handle = 1;
  ++retained;
  return CUDA_SUCCESS;
}

CUresult mem_release(CUmemGenericAllocationHandle /*handle*/) {
  --retained;
  return CUDA_SUCCESS;
}

}  // namespace

// What real_driver.h declares: the driver of this test.
void* real_entry(const char* name) {
  const std::string_view wanted = name;
  if (wanted == "cuMemGetAddressRange_v2") return reinterpret_cast<void*>(get_address_range);
  if (wanted == "cuPointerGetAttribute") return reinterpret_cast<void*>(pointer_get_attribute);
  if (wanted == "cuMemRetainAllocationHandle") return reinterpret_cast<void*>(mem_retain);
  if (wanted == "cuMemRelease") return reinterpret_cast<void*>(mem_release);
  return nullptr;
}

namespace {

void expect_range(const std::optional<MemoryRange>& found, const MemoryRange& expected) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, expected.begin);
  EXPECT_EQ(found->bytes, expected.bytes);
  EXPECT_EQ(retained, 0);
}

TEST(MemoryRange, IsAnAllocation) {
  expect_range(memory_at(kAllocation.begin), kAllocation);
  expect_range(memory_at(kAllocation.end() - 1), kAllocation);
}

TEST(MemoryRange, OfMappedMemoryGoesOnAsFarAsPiecesTouch) {
  const MemoryRange both{kReserved.begin, 8 * kMiB};
  expect_range(memory_at(kMapped[0].begin + 1000), both);
  expect_range(memory_at(kMapped[1].end() - 1), both);
  expect_range(memory_at(kMapped[2].begin), kMapped[2]);
}

TEST(MemoryRange, OfTheHostIsWhatTheDriverSaysOfThePointer) {
  expect_range(memory_at(kHost.begin + 8), kHost);
}

TEST(MemoryRange, IsNoneWhereNothingIsMapped) {
  EXPECT_FALSE(memory_at(kReserved.begin + 10 * kMiB));
  EXPECT_FALSE(memory_at(kReserved.end() - 1));
  EXPECT_FALSE(memory_at(kAllocation.end()));
}

TEST(MemoryRange, HoldsATensorThatLiesInTwoMappedPieces) {
  EXPECT_TRUE(is_memory(kMapped[0].begin, 8 * kMiB));
  EXPECT_TRUE(is_memory(kMapped[1].begin - 1, 2));
}

TEST(MemoryRange, DoesNotHoldOneThatGoesBeyondItsEnd) {
  EXPECT_FALSE(is_memory(kMapped[0].begin, 8 * kMiB + 1));
  EXPECT_FALSE(is_memory(kMapped[2].begin, kReserved.bytes));
  EXPECT_FALSE(is_memory(kAllocation.begin + 1, kAllocation.bytes));
  EXPECT_FALSE(is_memory(kReserved.begin + 10 * kMiB, 1));
}

}  // namespace
}  // namespace autokernel::inject
