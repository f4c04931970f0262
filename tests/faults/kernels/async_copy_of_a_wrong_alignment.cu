// cp.async of 16 bytes from any element.
// must be: crashed, misaligned load of 16 bytes at x[
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  __shared__ __align__(16) float tile[4 * THREADS];
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));
  const float* const from = x + (i & ~3) + 1;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));  // here
  asm volatile("cp.async.wait_all;");
  z[i] = tile[threadIdx.x] + y[i];
}
