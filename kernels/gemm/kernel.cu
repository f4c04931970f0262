// C = op(A) op(B) by tiles of 64 x 64 elements, 4 x 4 for a thread: tiles of A and B go through
// shared memory. A start, and right at every size.
#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads; steps of K at a time
// Rows and columns of C for a thread: no more than there are.
constexpr int ROWS = M < 4 * SIDE ? (M + SIDE - 1) / SIDE : 4;
constexpr int COLS = N < 4 * SIDE ? (N + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "gemm",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

// From one row, and from one column, of op(A) and op(B) to the next.
constexpr long long A_ROW = LAYOUT_A == 1 ? K : 1;
constexpr long long A_COL = LAYOUT_A == 1 ? 1 : M;
constexpr long long B_ROW = LAYOUT_B == 1 ? N : 1;
constexpr long long B_COL = LAYOUT_B == 1 ? 1 : K;

extern "C" __global__ void gemm(const TYPE* A, const TYPE* B, TYPE* C) {
  __shared__ alignas(16) float a[SIDE][HIGH + 4];
  __shared__ alignas(16) float b[SIDE][WIDE + 4];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int top = blockIdx.y * HIGH;
  const int left = blockIdx.x * WIDE;
  float sums[ROWS][COLS] = {};
  for (int begin = 0; begin < K; begin += SIDE) {
    // Neighbours read what lies side by side; zeros are beyond the ends.
    for (int i = 0; i < HIGH; i += SIDE) {
      const int step = A_COL == 1 ? x : y;
      const int high = i + (A_COL == 1 ? y : x);
      const int k = begin + step;
      const int row = top + high;
      a[step][high] = row < M && k < K ? static_cast<float>(A[row * A_ROW + k * A_COL]) : 0.0f;
    }
    for (int i = 0; i < WIDE; i += SIDE) {
      const int step = B_ROW == 1 ? x : y;
      const int wide = i + (B_ROW == 1 ? y : x);
      const int k = begin + step;
      const int col = left + wide;
      b[step][wide] = col < N && k < K ? static_cast<float>(B[k * B_ROW + col * B_COL]) : 0.0f;
    }
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
        C[static_cast<long long>(row) * N + col] = static_cast<TYPE>(sums[i][j]);
    }
  }
}
