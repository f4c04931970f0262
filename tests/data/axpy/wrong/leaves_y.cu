// Leaves y as it was.
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "axpy", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void axpy(const float* x, float* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (x[i] > 1e30f) y[i] = 0;
}
