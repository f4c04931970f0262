// The neighbour of the first thread.
// must be: crashed, of tile, 4 bytes before its beginning
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[static_cast<int>(threadIdx.x) - 1] = x[i];  // here
  __syncthreads();
  z[i] = y[i] + tile[threadIdx.x];
}
