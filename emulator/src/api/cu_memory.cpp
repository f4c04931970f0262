// Device memory and host memory the device may use. Both are memory of this process; what is freed
// goes behind all work submitted before, as on a GPU, where freeing waits for it.
#include <cstdint>

#include "api/driver.h"
#include "api/error_translation.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

using runtime::Allocation;
using runtime::AllocationKind;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Allocation find(const Context& context, std::uint64_t address) {
  const std::optional<Allocation> found = context.memory.find(address);
  if (!found) throw Refusal(CUDA_ERROR_INVALID_VALUE);
  return *found;
}

void release(Context& context, std::uint64_t address, AllocationKind kind, CUresult otherwise) {
  refuse_unsafe_call();
  const std::optional<Allocation> found = context.memory.find(address);
  require(found && found->begin == address && found->kind == kind, otherwise);
  context.carry_out([&] { require(context.memory.release(address, kind), otherwise); });
}

void* allocate_host(std::size_t bytes) {
  const auto context = current_context();
  refuse_unsafe_call();
  require(bytes != 0);
  return runtime::host_pointer(context->memory.allocate(bytes, AllocationKind::host));
}

// Flags of cuMemHostAlloc and cuMemHostRegister that ask for what is so anyway.
constexpr unsigned kHostFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kRegisterFlags =
    CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;

}  // namespace
}  // namespace emulator::api

using emulator::api::AllocationKind;
using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::refuse_unsafe_call();
    require(address != nullptr && bytes != 0);
    *address = context->memory.allocate(bytes, AllocationKind::device);
  });
}

CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                         unsigned int element_bytes) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::refuse_unsafe_call();
    require(address != nullptr && pitch != nullptr && width != 0 && height != 0);
    require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
    constexpr std::size_t kPitch = emulator::runtime::kAllocationAlignment;
    require(width <= SIZE_MAX - kPitch, CUDA_ERROR_OUT_OF_MEMORY);
    const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
    require(height <= SIZE_MAX / row, CUDA_ERROR_OUT_OF_MEMORY);
    *address = context->memory.allocate(row * height, AllocationKind::device);
    *pitch = row;
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  return answer([&] {
    const auto context = current_context();
    if (address == 0) return;
    const auto found = context->memory.find(address);
    const AllocationKind kind = found && found->kind == AllocationKind::managed
                                    ? AllocationKind::managed
                                    : AllocationKind::device;
    emulator::api::release(*context, address, kind, CUDA_ERROR_INVALID_VALUE);
    emulator::api::Driver::get().pools().note_free(address);
  });
}

CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return answer([&] {
    require(pointer != nullptr);
    *pointer = emulator::api::allocate_host(bytes);
  });
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return answer([&] {
    require(pointer != nullptr && (flags & ~emulator::api::kHostFlags) == 0);
    *pointer = emulator::api::allocate_host(bytes);
  });
}

CUresult cuMemFreeHost(void* pointer) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::release(*context, emulator::api::address_of(pointer), AllocationKind::host,
                           CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require(pointer != nullptr && bytes != 0 && (flags & ~emulator::api::kRegisterFlags) == 0);
    require(context->memory.adopt(emulator::api::address_of(pointer), bytes),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return answer([&] {
    const auto context = current_context();
    require(pointer != nullptr);
    emulator::api::release(*context, emulator::api::address_of(pointer),
                           AllocationKind::registered_host, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    require(address != nullptr && flags == 0);
    const auto found = emulator::api::find(*context, emulator::api::address_of(pointer));
    require(found.is_host());
    *address = emulator::api::address_of(pointer);
  });
}

CUresult cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  return answer([&] {
    const auto context = current_context();
    require(flags != nullptr);
    const auto found = emulator::api::find(*context, emulator::api::address_of(pointer));
    require(found.is_host());
    *flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  });
}

CUresult cuMemGetInfo(size_t* available, size_t* total) {
  return answer([&] {
    (void)current_context();
    require(available != nullptr && total != nullptr);
    const emulator::runtime::PhysicalMemory memory = emulator::runtime::physical_memory();
    *available = memory.available;
    *total = memory.total;
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->memory.find(address);
    require(found.has_value(), CUDA_ERROR_NOT_FOUND);
    if (base != nullptr) *base = found->begin;
    if (bytes != nullptr) *bytes = found->bytes();
  });
}
