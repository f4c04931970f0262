// The neighbour of the last thread.
// must be: crashed, byte 1024 of tile, right behind its end (the __shared__ variable has 1024 bytes)
// must say next: size of the __shared__ variable
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ float tile[THREADS];
  tile[threadIdx.x] = x[i];
  __syncthreads();
  z[i] = y[i] + tile[threadIdx.x + 1];  // here
}
