// honest: a table that is only read, and a counter that the last block sets back itself: setting them back costs nothing.
// case: tests/data/elementwise
#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / THREADS}, .block = {THREADS}});

__constant__ float factors[4] = {2, 2, 2, 2};
__device__ unsigned finished;

extern "C" __global__ void combine(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = factors[i % 4] * x[i] + y[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (atomicAdd(&finished, 1u) == gridDim.x - 1) finished = 0;
}
