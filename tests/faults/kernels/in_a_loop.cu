// The last round reads too far.
// must be: crashed, x[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k <= N / THREADS; ++k) {
    const float value = y[threadIdx.x];
    sum += value * x[k * THREADS + threadIdx.x];  // here
  }
  z[i] = sum;
}
