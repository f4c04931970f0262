// A search for what is not there.
// must be: timed_out, when it was stopped: 1 warp
// arguments: --timeout 2
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  volatile const float* const list = y;
  float sum = x[i];
  if (i == 300) {
    while (list[i & 63] < 100.0f) sum += 1.0f;  // here
  }
  z[i] = sum;
}
