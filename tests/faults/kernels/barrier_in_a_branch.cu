// Half of a warp goes to the barrier.
// must be: crashed, divergent barrier 0
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = x[i];
  if (threadIdx.x % 32 < 16) {
    __syncthreads();  // here
  }
  z[i] = tile[threadIdx.x ^ 1];
}
