// Launches a kernel from a kernel, by the device runtime, which is there in machine code alone: the
// driver has to say which function that leaves without a definition.
#include <cstring>

#include "linked.h"

__global__ void child(int* out) { *out = 1; }
__global__ void parent(int* out) { child<<<1, 1>>>(out); }

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  EXPECT(cuModuleLoadDataEx(&module, linked_image, 2, options, values) == CUDA_ERROR_INVALID_PTX);
  std::puts(log);
  EXPECT(std::strstr(log, "cudaCDP2GetParameterBufferV2' is defined nowhere") != nullptr);
  EXPECT(std::strstr(log, "the fat binary has no PTX for sm_90, only sm_") != nullptr);
  std::puts("passed");
}
