#include "driver/memory_range.h"

#include "driver/real_driver.h"

namespace autokernel::inject {
namespace {

// What was allocated, or mapped, at once.
[[nodiscard]] std::optional<MemoryRange> piece_at(CUdeviceptr address) {
  MemoryRange piece;
  if (AUTOKERNEL_REAL(cuMemGetAddressRange)(&piece.begin, &piece.bytes, address) == CUDA_SUCCESS &&
      piece.holds(address, 1)) {
    return piece;
  }
  // Of the host. Of memory that is mapped, this would be all the addresses that are reserved.
  const auto attribute = [&](void* value, CUpointer_attribute which) {
    return AUTOKERNEL_REAL(cuPointerGetAttribute)(value, which, address) == CUDA_SUCCESS;
  };
  if (attribute(&piece.begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) &&
      attribute(&piece.bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE) && piece.holds(address, 1)) {
    return piece;
  }
  return std::nullopt;
}

[[nodiscard]] std::optional<MemoryRange> mapped_piece_at(CUdeviceptr address) {
  CUmemGenericAllocationHandle handle = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how this function wants an address of the device
  void* const pointer = reinterpret_cast<void*>(address);
  if (AUTOKERNEL_REAL(cuMemRetainAllocationHandle)(&handle, pointer) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  (void)AUTOKERNEL_REAL(cuMemRelease)(handle);
  return piece_at(address);
}

}  // namespace

std::optional<MemoryRange> memory_at(CUdeviceptr address) {
  std::optional<MemoryRange> range = mapped_piece_at(address);
  if (!range) return piece_at(address);
  while (const auto next = mapped_piece_at(range->end())) range->bytes += next->bytes;
  while (const auto before = mapped_piece_at(range->begin - 1)) {
    range->begin = before->begin;
    range->bytes += before->bytes;
  }
  return range;
}

bool is_memory(CUdeviceptr address, std::size_t bytes) {
  std::optional<MemoryRange> range = piece_at(address);
  if (range && !range->holds(address, bytes)) range = memory_at(address);
  return range && range->holds(address, bytes);
}

}  // namespace autokernel::inject
