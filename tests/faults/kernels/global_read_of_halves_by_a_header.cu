// Headers that call each other.
// must be: crashed, past its end
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const __half2* const pairs = reinterpret_cast<const __half2*>(x);
  const __half2 sum = __hadd2(
      __ldg(pairs + i + 1),  // here
      pairs[i]);
  z[i] = __low2float(sum);
}
