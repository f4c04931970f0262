// libcuda.so.1 for tests: a driver that prints what it is called with. It has nothing else.
#include <cuda.h>

#include <cstdio>

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

FAKE cuInit(unsigned flags) {
  std::printf("cuInit %u\n", flags);
  return CUDA_SUCCESS;
}

// More arguments than registers take.
FAKE cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                      const char* name, unsigned count, CUjit_option* options, void** values) {
  std::printf("cuLinkAddData %p %d %p %zu %s %u %p %p\n", static_cast<void*>(state), type, data,
              size, name, count, static_cast<void*>(options), static_cast<void*>(values));
  return CUDA_ERROR_INVALID_IMAGE;
}

FAKE cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                    CUstream stream, void** parameters, void** extra) {
  std::printf("cuLaunchKernel %p %u %u %u %u %u %u %u %p %p %p\n", static_cast<void*>(function),
              grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
              static_cast<void*>(stream), static_cast<void*>(parameters),
              static_cast<void*>(extra));
  return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}
