// C = A W^T with W in 4 bits by tiles of 64 columns and up to 64 rows, 4 x 4 for a thread at most:
// tiles of A and W go through shared memory. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads
// Rows and columns of C for a thread: no more than there are.
constexpr int ROWS = M < 4 * SIDE ? (M + SIDE - 1) / SIDE : 4;
constexpr int COLS = N < 4 * SIDE ? (N + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;
constexpr int STEPS = 32;  // of K at a time; of a row of B, 16 bytes
static_assert(GROUP % STEPS == 0 && K % GROUP == 0);

AUTOKERNEL_LAUNCH({.kernel = "gemm_w4a16",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void gemm_w4a16(const __nv_bfloat16* A, const unsigned char* B,
                                      const __nv_bfloat16* scale, __nv_bfloat16* C) {
  __shared__ alignas(16) float a[STEPS][HIGH + 4];
  __shared__ alignas(16) float w[STEPS][WIDE + 4];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  float sums[ROWS][COLS] = {};
  for (int begin = 0; begin < K; begin += STEPS) {
    // Zeros are beyond the last row and column.
    for (int i = y; i < HIGH; i += SIDE) {
      for (int step = x; step < STEPS; step += SIDE)
        a[step][i] = top + i < M ? __bfloat162float(A[(top + i) * K + begin + step]) : 0.0f;
    }
    for (int i = 0; i < WIDE; i += SIDE) {
      const long long col = left + i + y;
      const int pair = col < N ? B[(col * K + begin) / 2 + x] : 0;
      const float by = col < N ? __bfloat162float(scale[(col * K + begin) / GROUP]) : 0.0f;
      const int low = pair & 15;
      const int high = pair >> 4;
      w[2 * x][i + y] = (low - 8) * by;
      w[2 * x + 1][i + y] = (high - 8) * by;
    }
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < STEPS; ++step) {
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j) sums[i][j] += a[step][y * ROWS + i] * w[step][x * COLS + j];
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const long long row = top + y * ROWS + i;
      const long long col = left + x * COLS + j;
      if (row < M && col < N) C[row * N + col] = __float2bfloat16(sums[i][j]);
    }
  }
}
