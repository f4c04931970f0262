// The line is that where the macro is used.
// must be: crashed, x[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

#define NEXT(list, at) ((list)[(at) + 1])

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float there = y[i];
  z[i] = there + NEXT(x, i);  // here
}
