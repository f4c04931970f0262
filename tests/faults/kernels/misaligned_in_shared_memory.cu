// A vector at every element of a tile.
// must be: crashed, misaligned load of 16 bytes at byte
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ __align__(16) float tile[THREADS + 4];
  tile[threadIdx.x] = x[i];
  __syncthreads();
  const float4 four = *reinterpret_cast<const float4*>(tile + threadIdx.x);  // here
  z[i] = four.x + four.y + y[i];
}
