// An element of the result for each thread.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr long long ELEMENTS = static_cast<long long>(ROWS) * COLS;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ELEMENTS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, __nv_bfloat16* y) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i < ELEMENTS) y[i] = x[i % ROWS * COLS + i / ROWS];
}
