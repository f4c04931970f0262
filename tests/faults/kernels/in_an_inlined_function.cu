// The load stands in a function, which is inlined.
// must be: crashed, x[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__device__ float next_of(const float* list, int at) {
  return list[at + 1];  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = next_of(x, i) + y[i];
}
