// z = 2x + y: plain, slow, right.
#include <autokernel.cuh>

constexpr int THREADS = 128;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) z[i] = 2 * x[i] + y[i];
}
