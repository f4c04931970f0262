// The last tile of a pipeline is fetched although there is none.
// must be: crashed, load of 16 bytes at x[4096], one past its end
#include <cuda_pipeline.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ __align__(16) float tile[4 * THREADS];
  if (threadIdx.x < THREADS / 4) {
    const int from = blockIdx.x * THREADS + THREADS + 4 * threadIdx.x;
    __pipeline_memcpy_async(tile + 4 * threadIdx.x, x + from, 16);  // here
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  z[i] = tile[threadIdx.x] + y[i];
}
