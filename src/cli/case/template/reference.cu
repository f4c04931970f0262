// y = a * x + x^2: the definition of what is right. Keep it plain; its speed does not matter.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, float* y, float a) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = a * x[i] + x[i] * x[i];
}
