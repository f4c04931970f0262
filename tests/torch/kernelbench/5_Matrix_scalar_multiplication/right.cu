// C = A * s, a thread for each element.
#include <autokernel.cuh>

constexpr int COLS = 16384;
constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "scale", .grid = {COLS / THREADS, M}, .block = {THREADS}});

extern "C" __global__ void scale(const float* A, float* C, float s) {
  const long long i =
      blockIdx.y * static_cast<long long>(COLS) + blockIdx.x * THREADS + threadIdx.x;
  C[i] = A[i] * s;
}
