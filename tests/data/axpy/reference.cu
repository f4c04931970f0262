// y = 2.5x + y, in place: plain, slow, right.
#include <autokernel.cuh>

constexpr int THREADS = 128;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, float* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = fmaf(2.5f, x[i], y[i]);
}
