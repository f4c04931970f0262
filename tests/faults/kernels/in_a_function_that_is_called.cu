// The same in a function that is not inlined.
// must be: crashed, z[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__noinline__ __device__ void put(float* to, int at, float value) {
  to[at] = value;  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  put(z, i + 1, x[i] + y[i]);
}
