// naive block_cols=64 block_rows=16 unroll=8
// C = A x B, one thread for each element of C. All of A and B comes from global memory.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int BLOCK_COLS = 64;
constexpr int BLOCK_ROWS = 16;
constexpr int UNROLL = 8;  // steps of K whose loads are under way together

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / BLOCK_COLS, M / BLOCK_ROWS},
                   .block = {BLOCK_COLS, BLOCK_ROWS}});

extern "C" __global__ void __launch_bounds__(BLOCK_COLS* BLOCK_ROWS)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  const int col = blockIdx.x * BLOCK_COLS + threadIdx.x;
  const int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;

  float sum = 0.0f;
#pragma unroll UNROLL
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
