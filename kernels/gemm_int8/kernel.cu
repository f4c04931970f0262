// C = A B^T of int8 in int32 by tiles of 64 x 64 elements, 4 x 4 for a thread: tiles of A and B go
// through shared memory. A start, and right at every size.
#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads; steps of K at a time
// Rows and columns of C for a thread: no more than there are.
constexpr int ROWS = M < 4 * SIDE ? (M + SIDE - 1) / SIDE : 4;
constexpr int COLS = N < 4 * SIDE ? (N + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "gemm_int8",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void gemm_int8(const signed char* A, const signed char* B, int* C) {
  __shared__ alignas(16) int a[SIDE][HIGH + 4];
  __shared__ alignas(16) int b[SIDE][WIDE + 4];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int top = blockIdx.y * HIGH;
  const int left = blockIdx.x * WIDE;
  int sums[ROWS][COLS] = {};
  for (int begin = 0; begin < K; begin += SIDE) {
    const int k = begin + x;
    for (int i = 0; i < HIGH; i += SIDE) {
      const long long row = top + i + y;
      a[x][i + y] = row < M && k < K ? A[row * K + k] : 0;
    }
    for (int i = 0; i < WIDE; i += SIDE) {
      const long long col = left + i + y;
      b[x][i + y] = col < N && k < K ? B[col * K + k] : 0;
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
      if (row < M && col < N) C[static_cast<long long>(row) * N + col] = sums[i][j];
    }
  }
}
