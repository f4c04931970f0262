// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <cuda_fp8.h>

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

extern "C" __global__ void reference(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B,
                                     const float* scale_a, const float* scale_b, double* C) {
  __shared__ alignas(16) double a[SIDE][HIGH + 2];
  __shared__ alignas(16) double b[SIDE][WIDE + 2];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  double sums[ROWS][COLS] = {};
  for (int begin = 0; begin < K; begin += SIDE) {
    // Zero beyond the ends.
    const int k = begin + x;
    for (int i = 0; i < HIGH; i += SIDE) {
      const long long m = top + i + y;
      a[x][i + y] = m < M && k < K ? static_cast<double>(A[m * K + k]) : 0.0;
    }
    for (int i = 0; i < WIDE; i += SIDE) {
      const long long n = left + i + y;
      b[x][i + y] = n < N && k < K ? static_cast<double>(B[n * K + k]) : 0.0;
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
      if (m < M && n < N) C[m * N + n] = static_cast<double>(scale_a[m]) * scale_b[n] * sums[i][j];
    }
  }
}
