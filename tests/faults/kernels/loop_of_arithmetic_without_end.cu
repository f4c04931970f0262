// A loop whose counter wraps before its end.
// must be: timed_out, when it was stopped: 
// arguments: --timeout 2
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  unsigned seed = threadIdx.x + 1;
  while (seed != 0) seed = seed * 1664525 + (seed | 1) * 2 % 7 + (seed == 0);  // here
  z[i] = x[i] + seed;
}
