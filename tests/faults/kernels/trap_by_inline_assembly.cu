// The same by a line of PTX.
// must be: crashed, trap
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  if (i > N - 3) {
    asm volatile("trap;");  // here
  }
}
