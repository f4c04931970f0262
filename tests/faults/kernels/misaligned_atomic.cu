// A sum in double precision at any float.
// must be: crashed, misaligned atomic operation of 8 bytes at z[
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "f", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void f(const float* x, const float* y, float* z) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N - 2) {
    atomicAdd(reinterpret_cast<double*>(z + i), 1.0);  // here
  }
}
