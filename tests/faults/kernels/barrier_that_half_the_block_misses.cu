// Warps that loop one round less.
// must be: crashed, barrier 1 can never fill
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 1, 256;" ::: "memory");  // here
  }
  z[i] += y[i];
}
