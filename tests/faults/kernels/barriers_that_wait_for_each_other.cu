// Two halves of a block at two barriers.
// must be: crashed, can never fill
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 2, 256;" ::: "memory");  // here
  } else {
    asm volatile("bar.sync 3, 256;" ::: "memory");
  }
  z[i] += y[i];
}
