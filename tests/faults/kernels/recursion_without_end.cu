// A function that calls itself for ever.
// must be: crashed, call stack exhausted: a thread has
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__noinline__ __device__ float depth(int level, const float* list) {
  if (list[0] > 1e30f) return 0;
  return 1.0f + depth(level + 1, list) * list[level & 1];  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = depth(i, x);
}
