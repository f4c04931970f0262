// Managed memory: on this device both sides reach it at any time, and where it lies is no question.
#include <cstring>

#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "runtime/host_pointer.h"

namespace emulator::api {
namespace {

using runtime::AllocationKind;

void require_managed(std::uint64_t address, std::size_t bytes) {
  const auto context = current_context();
  const auto found = context->memory.find(address);
  require(bytes != 0 && found && found->kind == AllocationKind::managed &&
          found->end - address >= bytes);
}

void require_location(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return Driver::require_device(location.id);
  require(location.type == CU_MEM_LOCATION_TYPE_HOST ||
          location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
          location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
}

// As the first versions of these calls named a place.
CUmemLocation location_of(CUdevice device) {
  if (device == CU_DEVICE_CPU) return {CU_MEM_LOCATION_TYPE_HOST, 0};
  return {CU_MEM_LOCATION_TYPE_DEVICE, device};
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::refuse_unsafe_call();
    require(address != nullptr && bytes != 0);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
    *address = context->memory.allocate(bytes, emulator::api::AllocationKind::managed);
    // On a GPU its pages come from the operating system, which gives zeros.
    std::memset(emulator::runtime::host_pointer<void>(*address), 0, bytes);
  });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned int flags, CUstream stream) {
  return answer([&] {
    emulator::api::require_managed(address, bytes);
    emulator::api::require_location(location);
    require(flags == 0);
    (void)current_context()->stream(stream);
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, emulator::api::location_of(device), 0, stream);
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return answer([&] {
    emulator::api::require_managed(address, bytes);
    require(advice >= CU_MEM_ADVISE_SET_READ_MOSTLY && advice <= CU_MEM_ADVISE_UNSET_ACCESSED_BY);
    // For the two about reading alone no place matters.
    if (advice > CU_MEM_ADVISE_UNSET_READ_MOSTLY) emulator::api::require_location(location);
  });
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(address, bytes, advice, emulator::api::location_of(device));
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes,
                                unsigned int flags) {
  return answer([&] {
    emulator::api::require_managed(address, bytes == 0 ? 1 : bytes);
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
            flags == CU_MEM_ATTACH_SINGLE);
    (void)current_context()->stream(stream);
  });
}
