// Vectors are counted like elements.
// must be: crashed, past its end (it has 4096 elements)
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float4* const vectors = reinterpret_cast<const float4*>(x);
  const float4 four = vectors[i];  // here
  z[i] = four.x + four.w + y[i];
}
