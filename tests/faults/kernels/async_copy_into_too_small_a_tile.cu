// The tile has room for half of what is copied.
// must be: crashed, tile
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ __align__(16) float tile[2 * THREADS];
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + (i & ~3)));  // here
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  z[i] = tile[threadIdx.x] + y[i];
}
