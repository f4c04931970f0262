// Four results from the second element on.
// must be: crashed, misaligned store of 16 bytes at z[
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i % 4 == 0 && i + 8 < N) {
    *reinterpret_cast<float4*>(z + i + 2) = make_float4(x[i], y[i], x[i + 1], y[i + 1]);  // here
  }
}
