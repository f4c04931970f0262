// The same in fp64, which the errors of kernels in fp32 are measured from.
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

// Elements of op(A) and op(B), zero beyond the ends.
__device__ double a_at(const TYPE* A, long long m, long long k) {
  if (m >= M || k >= K) return 0;
  return static_cast<float>(LAYOUT_A == 1 ? A[m * K + k] : A[k * M + m]);
}
__device__ double b_at(const TYPE* B, long long k, long long n) {
  if (k >= K || n >= N) return 0;
  return static_cast<float>(LAYOUT_B == 1 ? B[k * N + n] : B[n * K + k]);
}

extern "C" __global__ void reference(const TYPE* A, const TYPE* B, double* C) {
  __shared__ alignas(16) double a[SIDE][HIGH + 2];
  __shared__ alignas(16) double b[SIDE][WIDE + 2];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  double sums[ROWS][COLS] = {};
  for (int k = 0; k < K; k += SIDE) {
    // x goes along the dimension that is stored contiguously.
    for (int m = 0; m < HIGH; m += SIDE) {
      if (LAYOUT_A == 1) a[x][m + y] = a_at(A, top + m + y, k + x);
      if (LAYOUT_A == 2) a[y][m + x] = a_at(A, top + m + x, k + y);
    }
    for (int n = 0; n < WIDE; n += SIDE) {
      if (LAYOUT_B == 1) b[y][n + x] = b_at(B, k + y, left + n + x);
      if (LAYOUT_B == 2) b[x][n + y] = b_at(B, k + x, left + n + y);
    }
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
