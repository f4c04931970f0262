// Fills, at once and in stream order.
#include "api/capture.h"
#include "api/copy_request.h"
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/operation.h"

namespace emulator::api {
namespace {

void fill(const CUDA_MEMSET_NODE_PARAMS& request) {
  const auto context = current_context();
  refuse_synchronous_call(*context);
  context->carry_out(filling(*context, request));
}

void fill_async(const CUDA_MEMSET_NODE_PARAMS& request, CUstream stream) {
  enqueue(*current_context(), stream, FillOperation{request});
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::fill;
using emulator::api::fill_async;
using emulator::api::linear_fill;

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return answer([&] { fill(linear_fill(to, value, 1, count)); });
}

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return answer([&] { fill(linear_fill(to, value, 2, count)); });
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) {
  return answer([&] { fill(linear_fill(to, value, 4, count)); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return answer([&] { fill_async(linear_fill(to, value, 1, count), stream); });
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return answer([&] { fill_async(linear_fill(to, value, 2, count), stream); });
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return answer([&] { fill_async(linear_fill(to, value, 4, count), stream); });
}

CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return answer([&] { fill({to, pitch, value, 1, width, height}); });
}

CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return answer([&] { fill({to, pitch, value, 2, width, height}); });
}

CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                       size_t height) {
  return answer([&] { fill({to, pitch, value, 4, width, height}); });
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return answer([&] { fill_async({to, pitch, value, 1, width, height}, stream); });
}

CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return answer([&] { fill_async({to, pitch, value, 2, width, height}, stream); });
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                            size_t height, CUstream stream) {
  return answer([&] { fill_async({to, pitch, value, 4, width, height}, stream); });
}
