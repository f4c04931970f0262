// C = scale_a scale_b A B^T by tiles of 64 x 64 elements, 4 x 4 for a thread: tiles of A and B go
// through shared memory. A start, and right at every size.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads; steps of K at a time
// Rows and columns of C for a thread: no more than there are.
constexpr int ROWS = M < 4 * SIDE ? (M + SIDE - 1) / SIDE : 4;
constexpr int COLS = N < 4 * SIDE ? (N + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "gemm_fp8",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

// An element of a matrix with rows of K, or zero beyond its end.
__device__ float element(const __nv_fp8_e4m3* matrix, long long row, int rows, int k) {
  return row < rows && k < K ? static_cast<float>(matrix[row * K + k]) : 0.0f;
}

extern "C" __global__ void gemm_fp8(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B,
                                    const float* scale_a, const float* scale_b, __nv_bfloat16* C) {
  __shared__ alignas(16) float a[SIDE][HIGH + 4];
  __shared__ alignas(16) float b[SIDE][WIDE + 4];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int top = blockIdx.y * HIGH;
  const int left = blockIdx.x * WIDE;
  float sums[ROWS][COLS] = {};
  for (int begin = 0; begin < K; begin += SIDE) {
    for (int i = 0; i < HIGH; i += SIDE) a[x][i + y] = element(A, top + i + y, M, begin + x);
    for (int i = 0; i < WIDE; i += SIDE) b[x][i + y] = element(B, left + i + y, N, begin + x);
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < SIDE; ++step) {
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j) sums[i][j] += a[step][y * ROWS + i] * b[step][x * COLS + j];
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const int row = top + y * ROWS + i;
      const int col = left + x * COLS + j;
      if (row < M && col < N)
        C[static_cast<long long>(row) * N + col] =
            __float2bfloat16(scale_a[row] * scale_b[col] * sums[i][j]);
    }
  }
}
