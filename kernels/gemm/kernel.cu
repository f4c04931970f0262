// C = op(A) op(B): a thread for each element of C. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int COLS = 32;  // of C, in a block
constexpr int ROWS = 8;

AUTOKERNEL_LAUNCH({.kernel = "gemm",
                   .grid = {(N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS},
                   .block = {COLS, ROWS}});

// From one row, and from one column, of op(A) and op(B) to the next.
constexpr long long A_ROW = LAYOUT_A == 1 ? K : 1;
constexpr long long A_COL = LAYOUT_A == 1 ? 1 : M;
constexpr long long B_ROW = LAYOUT_B == 1 ? N : 1;
constexpr long long B_COL = LAYOUT_B == 1 ? 1 : K;

extern "C" __global__ void gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  const int col = blockIdx.x * COLS + threadIdx.x;
  const int row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    const float a = __bfloat162float(A[row * A_ROW + k * A_COL]);
    const float b = __bfloat162float(B[k * B_ROW + col * B_COL]);
    sum += a * b;
  }
  C[static_cast<long long>(row) * N + col] = __float2bfloat16(sum);
}
