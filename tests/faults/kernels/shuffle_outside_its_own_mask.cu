// All lanes shuffle with a mask that names lane 0 alone.
// must be: crashed, mask leaves out the lane that runs it
// must say next: correct the mask
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float other = __shfl_xor_sync(0x1, x[i], 1);  // here
  z[i] = other + y[i];
}
