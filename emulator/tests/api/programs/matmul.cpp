// Multiplies matrices in pitched memory, with a fat binary that is part of the program, and takes
// the time with events.
#include <vector>

#include "kernels_image.h"  // const unsigned char image[], by bin2c
#include "program.h"

namespace {

// Rows without room between them on the host, `pitch` bytes apart on the device.
void copy(CUdeviceptr device, float* host, std::size_t pitch, int size, bool to_device) {
  CUDA_MEMCPY2D request{};
  request.WidthInBytes = sizeof(float) * size;
  request.Height = size;
  request.srcMemoryType = to_device ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  request.srcHost = host;
  request.srcDevice = device;
  request.srcPitch = to_device ? request.WidthInBytes : pitch;
  request.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  request.dstHost = host;
  request.dstDevice = device;
  request.dstPitch = to_device ? pitch : request.WidthInBytes;
  CHECK(cuMemcpy2D(&request));
}

}  // namespace

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUmodule module = nullptr;
  CUfunction multiply = nullptr;
  CHECK(cuModuleLoadFatBinary(&module, image));
  CHECK(cuModuleGetFunction(&multiply, module, "multiply"));

  int size = 100;
  std::vector<float> a(size * size);
  std::vector<float> b(size * size);
  std::vector<float> product(size * size);
  for (int i = 0; i < size * size; ++i) {
    a[i] = static_cast<float>(i % 17) - 8;
    b[i] = static_cast<float>(i % 13) - 6;
  }
  CUdeviceptr matrices[3];
  std::size_t pitch = 0;
  for (CUdeviceptr& matrix : matrices) {
    CHECK(cuMemAllocPitch(&matrix, &pitch, sizeof(float) * size, size, 4));
  }
  copy(matrices[0], a.data(), pitch, size, true);
  copy(matrices[1], b.data(), pitch, size, true);
  CUevent begin = nullptr;
  CUevent end = nullptr;
  CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  int floats_apart = static_cast<int>(pitch / sizeof(float));
  void* parameters[] = {&matrices[0], &matrices[1], &matrices[2], &size, &floats_apart};
  const unsigned tiles = (size + 15) / 16;
  CHECK(cuEventRecord(begin, nullptr));
  CHECK(cuLaunchKernel(multiply, tiles, tiles, 1, 16, 16, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuEventRecord(end, nullptr));
  CHECK(cuEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 0);
  copy(matrices[2], product.data(), pitch, size, false);

  // Small integers: every sum is exact.
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      float sum = 0;
      for (int k = 0; k < size; ++k) sum += a[row * size + k] * b[k * size + column];
      EXPECT(product[row * size + column] == sum);
    }
  }
  CHECK(cuCtxDestroy(context));
  std::puts("passed");
}
