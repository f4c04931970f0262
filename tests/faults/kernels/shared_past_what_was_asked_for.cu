// Less dynamic shared memory than the block uses.
// must be: crashed, of buffer
// must say next: .shared_bytes of the launch
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}, .shared_bytes = 4 * THREADS + 64});

extern __shared__ float buffer[];

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  buffer[threadIdx.x] = x[i];
  buffer[threadIdx.x + THREADS] = y[i];  // here
  __syncthreads();
  z[i] = buffer[threadIdx.x] + buffer[threadIdx.x ^ 1];
}
