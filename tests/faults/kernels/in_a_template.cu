// A template for two types.
// must be: crashed, misaligned
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

template <typename T>
__device__ float first(const float* from) {
  return static_cast<float>(*reinterpret_cast<const T*>(from));  // here
}

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = x[i] + first<double>(y + (i & ~1) + 1);
}
