// Each thread reads the element behind its own.
// must be: crashed, load of 4 bytes at x[4096], one past its end (it has 4096 elements)
// must say next: the last tile, the last row
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = y[i];
  z[i] += x[i + 1];  // here
}
