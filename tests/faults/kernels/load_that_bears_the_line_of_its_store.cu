// A float4 that the compiler copies as a whole: the load has the line of the store, its address has the line of the load.
// must be: crashed, whose address was computed on line 10
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / 256}, .block = {256}});

extern "C" __global__ void f(const float4* x, const float4* y, float4* z) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i * 4 >= N + 4) return;
  const float4 v = x[i];
  const float4 w = v;
  z[i % 4] = w;  // here
}
