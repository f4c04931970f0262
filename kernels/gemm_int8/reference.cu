// C = A B^T of int8 in int32, as it is defined. A block has a tile of 64 x 64 elements, and a
// thread 4 x 4 of them.
#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads
// Rows and columns of C for a thread: no more than there are.
constexpr int ROWS = M < 4 * SIDE ? (M + SIDE - 1) / SIDE : 4;
constexpr int COLS = N < 4 * SIDE ? (N + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

// An element of a matrix with rows of K, or zero beyond its end.
__device__ int element(const signed char* matrix, long long row, int rows, int k) {
  return row < rows && k < K ? matrix[row * K + k] : 0;
}

extern "C" __global__ void reference(const signed char* A, const signed char* B, int* C) {
  __shared__ alignas(16) int a[SIDE][HIGH + 4];
  __shared__ alignas(16) int b[SIDE][WIDE + 4];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  int sums[ROWS][COLS] = {};
  for (int k = 0; k < K; k += SIDE) {
    for (int m = 0; m < HIGH; m += SIDE) a[x][m + y] = element(A, top + m + y, M, k + x);
    for (int n = 0; n < WIDE; n += SIDE) b[x][n + y] = element(B, left + n + y, N, k + x);
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < SIDE; ++step) {
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j) sums[i][j] += a[step][y * ROWS + i] * b[step][j * SIDE + x];
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const long long m = top + y * ROWS + i;
      const long long n = left + j * SIDE + x;
      if (m < M && n < N) C[m * N + n] = sums[i][j];
    }
  }
}
