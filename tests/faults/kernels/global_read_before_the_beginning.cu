// The halo of a stencil, at the left edge.
// must be: crashed, load of 4 bytes at x[-3], 3 before its beginning
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float left = x[i - 3];  // here
  z[i] = 0.5f * (left + y[i]);
}
