// C = scale_a scale_b A B^T: a thread for each element of C. A start, and right at every size.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <autokernel.cuh>

constexpr int COLS = 32;  // of C, in a block
constexpr int ROWS = 8;

AUTOKERNEL_LAUNCH({.kernel = "gemm_fp8",
                   .grid = {(N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS},
                   .block = {COLS, ROWS}});

extern "C" __global__ void gemm_fp8(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B,
                                    const float* scale_a, const float* scale_b, __nv_bfloat16* C) {
  const int col = blockIdx.x * COLS + threadIdx.x;
  const int row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= N) return;
  A += static_cast<long long>(row) * K;
  B += static_cast<long long>(col) * K;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += static_cast<float>(A[k]) * static_cast<float>(B[k]);
  C[static_cast<long long>(row) * N + col] = __float2bfloat16(scale_a[row] * scale_b[col] * sum);
}
