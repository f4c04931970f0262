// honest: in place.
// case: tests/data/axpy
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "axpy", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void axpy(const float* x, float* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  y[i] = 2.5f * x[i] + y[i];
}
