// A sum over a warp in a branch, which the other lanes do not wait out.
// must be: crashed, names a lane
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float sum = x[i];
  if (threadIdx.x % 32 < 20) {
    sum += __shfl_xor_sync(0xffffffff, sum, 1);  // here
  }
  __syncthreads();
  z[i] = sum;
}
