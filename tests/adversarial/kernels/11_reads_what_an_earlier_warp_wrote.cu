// row 11: the row of A that a warp reads was written by the warp before, with no barrier between. Warps that run one after the other never show it.
// must be: incorrect, elements differ
// without both_warp_orders: correct
// on a GPU: not run, warps of a block run nearly in step there, and the race hardly shows
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  __shared__ __nv_bfloat16 rows[8][K];
  const int row = blockIdx.y * 8;
  const int next = threadIdx.y + 1;
  for (int k = threadIdx.x; k < K; k += 32) {
    if (threadIdx.y == 0) rows[0][k] = A[row * K + k];
    if (next < 8) rows[next][k] = A[(row + next) * K + k];
  }
  const int col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(rows[threadIdx.y][k]) * __bfloat162float(B[k * N + col]);
  }
  C[(row + threadIdx.y) * N + col] = __float2bfloat16(sum);
}
