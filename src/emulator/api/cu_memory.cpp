// Device memory and host memory the device may use. Both are memory of this process; what is freed
// goes behind all work submitted before, as on a GPU, where freeing waits for it.
#include <cstdint>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/runtime/host_pointer.h"

namespace emulator::api {
namespace {

using runtime::Allocation;
using runtime::AllocationKind;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

bool is_host(const Allocation& allocation) {
  return allocation.kind == AllocationKind::host ||
         allocation.kind == AllocationKind::registered_host;
}

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

void pointer_attribute(void* data, CUpointer_attribute which, std::uint64_t address) {
  const auto context = current_context();
  require(data != nullptr);
  const Allocation found = find(*context, address);
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(data) = CurrentContexts::top();
      break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<CUmemorytype*>(data) =
          is_host(found) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(data) = address;
      break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(is_host(found));
      *static_cast<void**>(data) = runtime::host_pointer(address);
      break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      *static_cast<unsigned long long*>(data) = found.begin;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(data) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<unsigned*>(data) = 1;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = 0;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(data) = found.begin;
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(data) = found.bytes();
      break;
    default:
      throw Refusal(CUDA_ERROR_NOT_SUPPORTED);
  }
}

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
    emulator::api::release(*context, address, AllocationKind::device, CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    (void)context->stream(stream);
    require(address != nullptr && bytes != 0);
    *address = context->memory.allocate(bytes, AllocationKind::device);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->memory.find(address);
    require(found && found->begin == address && found->kind == AllocationKind::device);
    context->submit(*context->stream(stream), [memory = &context->memory, address] {
      require(memory->release(address, AllocationKind::device));
    });
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
    require(emulator::api::is_host(found));
    *address = emulator::api::address_of(pointer);
  });
}

CUresult cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  return answer([&] {
    const auto context = current_context();
    require(flags != nullptr);
    const auto found = emulator::api::find(*context, emulator::api::address_of(pointer));
    require(emulator::api::is_host(found));
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

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr address) {
  return answer([&] { emulator::api::pointer_attribute(data, which, address); });
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* which, void** data,
                                CUdeviceptr address) {
  return answer([&] {
    (void)current_context();
    require(which != nullptr && data != nullptr);
    for (unsigned i = 0; i < count; ++i) {
      emulator::api::pointer_attribute(data[i], which[i], address);
    }
  });
}
