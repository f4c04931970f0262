// A row of the table for each token: a thread for each element.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr long long ELEMENTS = static_cast<long long>(TOKENS) * HIDDEN;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ELEMENTS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* table, const int* ids, __nv_bfloat16* y) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= ELEMENTS) return;
  y[i] = table[static_cast<long long>(ids[i / HIDDEN]) * HIDDEN + i % HIDDEN];
}
