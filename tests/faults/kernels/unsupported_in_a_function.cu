// The same, inlined from a function.
// must be: unsupported, multimem
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__device__ __forceinline__ void add_everywhere(float* to, float value) {
  asm volatile("multimem.red.relaxed.sys.global.add.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory");  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i];
  add_everywhere(z + i, y[i]);
}
