// What is known of an address.
#include "api/driver.h"
#include "api/error_translation.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

using runtime::Allocation;
using runtime::AllocationKind;

template <typename T>
void put(void* data, T value) {
  *static_cast<T*>(data) = value;
}

// `found` is absent for memory that the program has from elsewhere: of it is known that it is not
// known.
void describe(void* data, CUpointer_attribute which, std::uint64_t address,
              const std::optional<Allocation>& found) {
  require(data != nullptr);
  const bool on_host = found && found->is_host();
  const bool managed = found && found->kind == AllocationKind::managed;
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(data, found ? CurrentContexts::top() : nullptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      if (!found) return put(data, 0U);
      return put(data, on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put<CUdeviceptr>(data, found ? address : 0);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(!found || on_host || managed);
      return put<void*>(data, found ? runtime::host_pointer(address) : nullptr);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put<unsigned long long>(data, found ? found->begin : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(data, found ? 0 : CU_DEVICE_INVALID);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put<CUdeviceptr>(data, found ? found->begin : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put<std::size_t>(data, found ? found->bytes() : 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(data, managed ? 1U : 0U);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(data, found ? 1U : 0U);
    // Copies are done in order whatever the program asks for, and nobody else shares this memory.
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return put(data, 0U);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<unsigned long long>(data, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put(data, found ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
                             : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(data, Driver::get().pools().pool_of(address));
    default:
      throw Refusal(CUDA_ERROR_NOT_SUPPORTED);
  }
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute which, CUdeviceptr address) {
  return answer([&] {
    const auto context = current_context();
    const auto found = context->memory.find(address);
    require(found.has_value());
    emulator::api::describe(data, which, address, found);
  });
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* which, void** data,
                                CUdeviceptr address) {
  return answer([&] {
    const auto context = current_context();
    require(which != nullptr && data != nullptr);
    const auto found = context->memory.find(address);
    for (unsigned i = 0; i < count; ++i) {
      emulator::api::describe(data[i], which[i], address, found);
    }
  });
}

// The one that can be set asks for copies to be done in order, which they are.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute which, CUdeviceptr address) {
  return answer([&] {
    const auto context = current_context();
    require(value != nullptr && which == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
            context->memory.find(address).has_value());
  });
}
