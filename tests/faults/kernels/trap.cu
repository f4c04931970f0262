// A check that a thread does not pass.
// must be: crashed, trap
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float value = 2.0f * x[i] + y[i];
  if (i == 99) {
    __trap();  // here
  }
  z[i] = value;
}
