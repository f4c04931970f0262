// C = A x B as in kernels/kernel.cu, but each thread computes four rows of C: an element of B that
// is loaded once is used four times.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BLOCK_COLS = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int ROWS = 4;  // of C, for each thread

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BLOCK_COLS, M / (BLOCK_ROWS * ROWS)},
                   .block = {BLOCK_COLS, BLOCK_ROWS}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * BLOCK_COLS + threadIdx.x;
  const int row = (blockIdx.y * BLOCK_ROWS + threadIdx.y) * ROWS;

  float sum[ROWS] = {};
  for (int k = 0; k < K; ++k) {
    const float b = __bfloat162float(B[k * N + col]);
    for (int r = 0; r < ROWS; ++r) sum[r] += __bfloat162float(A[(row + r) * K + k]) * b;
  }
  for (int r = 0; r < ROWS; ++r) C[(row + r) * N + col] = __float2bfloat16(sum[r]);
}
