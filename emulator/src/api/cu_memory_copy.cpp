// Copies between memory of both sides, at once and in stream order.
#include "api/capture.h"
#include "api/copy_request.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/operation.h"

namespace emulator::api {
namespace {

End device(CUdeviceptr address) { return {CU_MEMORYTYPE_DEVICE, address}; }
End either(CUdeviceptr address) { return {CU_MEMORYTYPE_UNIFIED, address}; }
End host(const void* pointer) {
  return {CU_MEMORYTYPE_HOST, reinterpret_cast<CUdeviceptr>(pointer)};
}

void copy(const CUDA_MEMCPY3D& request) {
  const auto context = current_context();
  refuse_synchronous_call(*context);
  context->carry_out(copying(*context, request));
}

void copy_async(const CUDA_MEMCPY3D& request, CUstream handle) {
  const auto context = current_context();
  const std::shared_ptr<Stream> stream = context->stream(handle);
  if (capture(*context, *stream, CopyOperation{request})) return;
  const AsyncCopy async = copying_async(*context, request);
  const Ticket ticket = context->submit(*stream, async.work);
  if (async.must_wait) context->synchronize(ticket);
}

// Both contexts are of the one device, but each knows its own memory alone.
void copy_between(const End& to, CUcontext to_handle, const End& from, CUcontext from_handle,
                  std::size_t bytes) {
  const Driver& driver = Driver::get();
  const std::shared_ptr<Context> to_context = driver.find(to_handle);
  const std::shared_ptr<Context> from_context = driver.find(from_handle);
  require(to_context != nullptr && from_context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  require(bytes == 0 || from_context->memory.holds(from.address, bytes));
  from_context->synchronize(from_context->executor().last());
  to_context->carry_out(copying(*to_context, linear_copy(to, either(from.address), bytes)));
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::as_3d;
using emulator::api::copy;
using emulator::api::copy_async;
using emulator::api::current_context;
using emulator::api::device;
using emulator::api::either;
using emulator::api::host;
using emulator::api::linear_copy;
using emulator::api::require;

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(linear_copy(either(to), either(from), bytes)); });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(linear_copy(either(to), either(from), bytes), stream); });
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return answer([&] { copy(linear_copy(device(to), host(from), bytes)); });
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(linear_copy(host(to), device(from), bytes)); });
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return answer([&] { copy(linear_copy(device(to), device(from), bytes)); });
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(linear_copy(device(to), host(from), bytes), stream); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(linear_copy(host(to), device(from), bytes), stream); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return answer([&] { copy_async(linear_copy(device(to), device(from), bytes), stream); });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* request) {
  return answer([&] {
    require(request != nullptr);
    copy(as_3d(*request));
  });
}

// Pitches that no device would like are no slower here.
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* request) { return cuMemcpy2D(request); }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* request, CUstream stream) {
  return answer([&] {
    require(request != nullptr);
    copy_async(as_3d(*request), stream);
  });
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D* request) {
  return answer([&] {
    require(request != nullptr);
    copy(*request);
  });
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* request, CUstream stream) {
  return answer([&] {
    require(request != nullptr);
    copy_async(*request, stream);
  });
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  return answer([&] {
    emulator::api::copy_between(device(to), to_context, device(from), from_context, bytes);
  });
}

// Done before the call comes back, which no program can tell from a copy that took no time.
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream handle) {
  return answer([&] {
    const auto context = current_context();
    context->synchronize(context->stream(handle)->last());
    emulator::api::copy_between(device(to), to_context, device(from), from_context, bytes);
  });
}
