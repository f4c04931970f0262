// The same, inlined from a function.
// must be: unsupported, wgmma
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__device__ __forceinline__ void wait_for_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + y[i];
  wait_for_all();
}
