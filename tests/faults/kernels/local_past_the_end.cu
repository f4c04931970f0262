// An index into a thread's own array.
// must be: crashed, local memory
// must say next: the thread's own array
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float mine[8];
  for (int k = 0; k < 8; ++k) mine[k] = x[(i + k) % N];
  const int at = 8 + static_cast<int>(y[i] * 0.0f) + i % 3 * 4;
  z[i] = mine[at];  // here
}
