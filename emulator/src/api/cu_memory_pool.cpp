// Memory in stream order, and the pools it is taken from.
#include "api/capture.h"
#include "api/driver.h"
#include "api/error_translation.h"

namespace emulator::api {
namespace {

using runtime::AllocationKind;

MemoryPools& pools() { return Driver::get().pools(); }

// There is at once, for the whole stream, what the stream will have at its turn. Nodes of graphs
// that allocate are not supported.
void allocate(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  const auto context = current_context();
  refuse_if_capturing(*context, *context->stream(stream));
  require(address != nullptr && bytes != 0);
  (void)pools().find(pool);
  *address = context->memory.allocate(bytes, AllocationKind::device);
  pools().note_allocation(pool, *address, bytes);
}

void free(CUdeviceptr address, CUstream handle) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(handle);
  refuse_if_capturing(*context, *stream);
  const auto found = context->memory.find(address);
  require(found && found->begin == address && found->kind == AllocationKind::device);
  pools().note_free(address);
  context->submit(*stream, [memory = &context->memory, address] {
    require(memory->release(address, AllocationKind::device));
  });
}

void require_location(const CUmemLocation* location, CUmemAllocationType type) {
  require(location != nullptr);
  require(type == CU_MEM_ALLOCATION_TYPE_PINNED && location->type == CU_MEM_LOCATION_TYPE_DEVICE,
          CUDA_ERROR_NOT_SUPPORTED);
  Driver::require_device(location->id);
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::Driver;
using emulator::api::pools;
using emulator::api::require;

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return answer([&] { emulator::api::allocate(address, bytes, pools().current(), stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return answer([&] { emulator::api::allocate(address, bytes, pool, stream); });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return answer([&] { emulator::api::free(address, stream); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return answer([&] {
    require(pool != nullptr && properties != nullptr);
    emulator::api::require_location(&properties->location, properties->allocType);
    require(properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED);
    *pool = pools().create();
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return answer([&] { pools().destroy(pool); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return answer([&] {
    require(value != nullptr);
    pools().find(pool)->get(attribute, value);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return answer([&] {
    require(value != nullptr);
    pools().find(pool)->set(attribute, value);
  });
}

// Pools keep nothing that could be given back.
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t) {
  return answer([&] { (void)pools().find(pool); });
}

// The one device there is may read and write all of its memory.
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* accesses, size_t count) {
  return answer([&] {
    (void)pools().find(pool);
    require(count == 0 || accesses != nullptr);
    for (size_t i = 0; i < count; ++i) {
      require(accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
      emulator::api::require_location(&accesses[i].location, CU_MEM_ALLOCATION_TYPE_PINNED);
    }
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return answer([&] {
    (void)pools().find(pool);
    require(flags != nullptr);
    emulator::api::require_location(location, CU_MEM_ALLOCATION_TYPE_PINNED);
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return answer([&] {
    Driver::require_device(device);
    require(pool != nullptr);
    *pool = pools().standard();
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return answer([&] {
    Driver::require_device(device);
    require(pool != nullptr);
    *pool = pools().current();
  });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return answer([&] {
    Driver::require_device(device);
    pools().make_current(pool);
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  return answer([&] {
    emulator::api::require_location(location, type);
    require(pool != nullptr);
    *pool = pools().standard();
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return answer([&] {
    emulator::api::require_location(location, type);
    require(pool != nullptr);
    *pool = pools().current();
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return answer([&] {
    emulator::api::require_location(location, type);
    pools().make_current(pool);
  });
}
