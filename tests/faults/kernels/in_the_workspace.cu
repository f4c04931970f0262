// The workspace is one part too small.
// must be: crashed, of the workspace
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});
AUTOKERNEL_WORKSPACE(8192);

extern "C" __global__ void f(const float* x, const float* y, float* z, float* parts) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  parts[i] = x[i];  // here
  z[i] = parts[i] + y[i];
}
