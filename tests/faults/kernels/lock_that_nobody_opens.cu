// A lock is taken twice.
// must be: timed_out, waiting at a barrier
// arguments: --timeout 2
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 1;
  __syncthreads();
  if (threadIdx.x == 40) {
    while (atomicCAS(&lock, 0, 1) != 0) {}  // here
  }
  __syncthreads();
  z[i] = x[i] + y[i];
}
