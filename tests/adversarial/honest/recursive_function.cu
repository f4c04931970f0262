// honest: a function that calls itself, as deep as each thread wants.
// case: tests/data/elementwise
#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / THREADS}, .block = {THREADS}});

__device__ __noinline__ float added(float a, float b, int depth) {
  return depth == 0 ? a + b : added(a, b, depth - 1);
}

extern "C" __global__ void combine(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = added(2 * x[i], y[i], i % 5);
}
