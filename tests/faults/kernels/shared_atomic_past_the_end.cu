// Bins of a histogram in shared memory.
// must be: crashed, atomic operation of 4 bytes at byte 256 of bins
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 65], 1);  // here
  __syncthreads();
  z[i] = x[i] + bins[threadIdx.x % 64];
}
