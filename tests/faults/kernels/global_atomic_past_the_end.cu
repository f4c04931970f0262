// A histogram with one bin too many.
// must be: crashed, atomic operation of 4 bytes at z[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int bin = i == 77 ? N : i;
  atomicAdd(&z[bin], x[i]);  // here
}
