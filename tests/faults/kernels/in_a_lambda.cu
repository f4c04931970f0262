// A lambda that is called in a loop.
// must be: crashed, y[4096]
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const auto part = [&](int k) {
    return y[i + k];  // here
  };
  float sum = x[i];
#pragma unroll 1
  for (int k = 0; k < 4; ++k) sum += part(k);
  z[i] = sum;
}
