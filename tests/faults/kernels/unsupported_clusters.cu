// Clusters of two blocks are not emulated.
// must be: unsupported, clusters
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void __cluster_dims__(2, 1, 1) f(const float* x, const float* y, float* z) {  // here
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + y[i];
}
