// Rows of the wrong length.
// must be: crashed, load of 4 bytes at y[
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int row = i * 33;
  z[i] = x[i] + y[row];  // here
}
