// libcuda.so.1 for launch_cost.cpp: launches that do nothing.
#include <cuda.h>

#define FAKE extern "C" __attribute__((visibility("default"))) CUresult

FAKE cuLaunchKernel(CUfunction /*function*/, unsigned /*grid_x*/, unsigned /*grid_y*/,
                    unsigned /*grid_z*/, unsigned /*block_x*/, unsigned /*block_y*/,
                    unsigned /*block_z*/, unsigned /*shared_bytes*/, CUstream /*stream*/,
                    void** /*parameters*/, void** /*extra*/) {
  return CUDA_SUCCESS;
}

FAKE cuFuncGetName(const char** name, CUfunction /*function*/) {
  *name = "kernel";
  return CUDA_SUCCESS;
}

// One that is forwarded without a look.
FAKE cuCtxSynchronize() { return CUDA_SUCCESS; }
