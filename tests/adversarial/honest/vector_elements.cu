// honest: sixteen bytes for each thread.
// case: tests/data/elementwise
#include <autokernel.cuh>

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;

AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / (THREADS * PER_THREAD)}, .block = {THREADS}});

extern "C" __global__ void combine(const float4* x, const float4* y, float4* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float4 a = x[i];
  const float4 b = y[i];
  z[i] = make_float4(2 * a.x + b.x, 2 * a.y + b.y, 2 * a.z + b.z, 2 * a.w + b.w);
}
