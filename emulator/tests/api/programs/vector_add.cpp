// Adds vectors, in a stream, with a module from a file: a fat binary or PTX.
#include <vector>

#include "program.h"

int main(int, char** arguments) {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  CHECK(cuModuleLoad(&module, arguments[1]));
  CHECK(cuModuleGetFunction(&add, module, "add"));

  int count = 10007;
  const std::size_t bytes = sizeof(float) * count;
  std::vector<float> a(count);
  std::vector<float> b(count);
  std::vector<float> sum(count);
  for (int i = 0; i < count; ++i) {
    a[i] = 0.5F * i;
    b[i] = 100.0F - i;
  }
  CUstream stream = nullptr;
  CUdeviceptr on_device[3];
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (CUdeviceptr& address : on_device) CHECK(cuMemAllocAsync(&address, bytes, stream));
  CHECK(cuMemcpyHtoDAsync(on_device[0], a.data(), bytes, stream));
  CHECK(cuMemcpyHtoDAsync(on_device[1], b.data(), bytes, stream));
  int block = 0;
  int grid = 0;
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, nullptr, 0, 256));
  EXPECT(grid > 0 && block > 0);
  void* parameters[] = {&on_device[0], &on_device[1], &on_device[2], &count};
  CHECK(cuLaunchKernel(add, (count + block - 1) / block, 1, 1, block, 1, 1, 0, stream, parameters,
                       nullptr));
  CHECK(cuMemcpyDtoHAsync(sum.data(), on_device[2], bytes, stream));
  for (const CUdeviceptr address : on_device) CHECK(cuMemFreeAsync(address, stream));
  CHECK(cuStreamSynchronize(stream));

  for (int i = 0; i < count; ++i) EXPECT(sum[i] == a[i] + b[i]);
  CHECK(cuStreamDestroy(stream));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::puts("passed");
}
