// Threads with contexts of their own, which find every entry point by its name.
#include <thread>
#include <vector>

#include "kernels_image.h"
#include "program.h"

namespace {

template <typename Function>
Function* find(const char* name, Function*) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  CHECK(cuGetProcAddress(name, &found, CUDA_VERSION, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                         &status));
  EXPECT(status == CU_GET_PROC_ADDRESS_SUCCESS);
  return reinterpret_cast<Function*>(found);
}
#define FIND(name) find(#name, &name)

void count_up(CUdevice device, unsigned start) {
  CUcontext context = nullptr;
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CUmodule module = nullptr;
  CUfunction step = nullptr;
  CHECK(cuModuleLoadData(&module, image));
  CHECK(FIND(cuModuleGetFunction)(&step, module, "step"));
  CUdeviceptr value = 0;
  CHECK(FIND(cuMemAlloc)(&value, sizeof start));
  CHECK(FIND(cuMemcpyHtoD)(value, &start, sizeof start));
  unsigned factor = 1;
  unsigned summand = 1;
  void* parameters[] = {&value, &factor, &summand};
  auto* const launch = FIND(cuLaunchKernel);
  for (int i = 0; i < 50; ++i) {
    CHECK(launch(step, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  }
  unsigned result = 0;
  CHECK(FIND(cuMemcpyDtoHAsync)(&result, value, sizeof result, nullptr));
  CHECK(FIND(cuStreamSynchronize)(nullptr));
  EXPECT(result == start + 50);
  CHECK(cuCtxDestroy(context));
}

}  // namespace

int main() {
  CHECK(cuInit(0));
  CUdevice device = 0;
  CHECK(cuDeviceGet(&device, 0));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 6; ++i) threads.emplace_back(count_up, device, 1000 * i);
  for (std::thread& thread : threads) thread.join();
  std::puts("passed");
}
