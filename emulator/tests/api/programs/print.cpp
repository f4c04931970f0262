// What kernels print comes out when the program waits for them.
#include "kernels_image.h"
#include "program.h"

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUmodule module = nullptr;
  CUfunction greet = nullptr;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(cuModuleGetFunction(&greet, module, "greet"));
  CHECK(cuLaunchKernel(greet, 2, 1, 1, 3, 1, 1, 0, nullptr, nullptr, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuCtxDestroy(context));
  std::puts("passed");
}
