// A pointer that nobody set.
// must be: crashed, null pointer
// must say next: the pointer is null
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float* table = nullptr;
  asm volatile("" : "+l"(table));
  z[i] = x[i] + table[i & 7];  // here
}
