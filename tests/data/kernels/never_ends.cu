// Never ends: every thread waits for a value that nobody writes.
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  __shared__ volatile int written;
  written = 0;
  while (written == 0) {
  }
  C[blockIdx.x] = A[0];
}
