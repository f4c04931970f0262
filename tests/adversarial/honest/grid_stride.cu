// honest: a few blocks go through all elements in strides of the grid.
// case: tests/data/elementwise
#include <autokernel.cuh>

constexpr int THREADS = 128;
AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {7}, .block = {THREADS}});

extern "C" __global__ void combine(const float* x, const float* y, float* z) {
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS) {
    z[i] = 2 * x[i] + y[i];
  }
}
