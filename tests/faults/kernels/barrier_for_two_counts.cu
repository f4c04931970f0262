// The same barrier for 64 and for 128 threads.
// must be: crashed, is reached for
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 4, 64;" ::: "memory");
  } else if (threadIdx.x < 64) {
    asm volatile("bar.sync 4, 128;" ::: "memory");  // here
  }
}
