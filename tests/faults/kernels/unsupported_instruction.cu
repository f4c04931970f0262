// wgmma is not emulated.
// must be: unsupported, is not supported by the emulator: it has no wgmma
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + y[i];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");  // here
}
