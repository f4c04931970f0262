// The load is three calls away.
// must be: crashed, y[4096], one past its end
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__device__ __forceinline__ float one(const float* list, int at) {
  return list[at];  // here
}
__device__ __forceinline__ float pair(const float* list, int at) {
  return 0.5f * one(list, at);
}
__device__ __forceinline__ float sum_of(const float* list, int at) {
  return 1.0f + pair(list, at + 3);
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + sum_of(y, i);
}
