// What is asserted does not hold. NDEBUG takes assert() away, but not what it stands for.
// must be: crashed, i < 1000
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= 1000) {
    __assertfail("i < 1000", "kernel.cu", 12, "f", 1);  // here
  }
  z[i] = x[i] + y[i];
}
