// Multicast memory is not emulated.
// must be: unsupported, is not supported by the emulator: it is a single device
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  asm volatile("multimem.red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(z + i), "f"(y[i]) : "memory");  // here
}
