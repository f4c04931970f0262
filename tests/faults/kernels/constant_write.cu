// Somebody stores to a table.
// must be: crashed, constant memory
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

__constant__ float weights[16] = {1, 2, 3, 4};

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float* table = const_cast<float*>(weights);
  asm volatile("" : "+l"(table));
  if (y[i] > -100.0f) {
    table[i % 16] = x[i];  // here
  }
  z[i] = y[i];
}
