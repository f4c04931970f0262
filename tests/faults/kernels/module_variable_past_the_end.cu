// A counter for each block, but for the last.
// must be: crashed, byte 60 of counters
// must say next: the size that reason names
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__device__ int counters[N / THREADS - 1];

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + y[i];
  if (threadIdx.x == 0) {
    counters[blockIdx.x] += 1;  // here
  }
}
