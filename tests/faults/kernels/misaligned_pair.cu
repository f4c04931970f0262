// A pair may begin at even elements only.
// must be: crashed, misaligned load of 8 bytes at x[
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float2 pair = *reinterpret_cast<const float2*>(x + (i & ~1) + 1);  // here
  z[i] = pair.x + pair.y + y[i];
}
