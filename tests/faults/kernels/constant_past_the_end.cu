// A table with one entry too few.
// must be: crashed, byte 64 of weights
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__constant__ float weights[16] = {1, 2, 3, 4};

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] * weights[i % 17];  // here
}
