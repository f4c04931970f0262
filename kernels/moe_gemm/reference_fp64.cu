// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads
// Rows and columns of y for a thread: no more than there are.
constexpr int ROWS = TOKENS < 4 * SIDE ? (TOKENS + SIDE - 1) / SIDE : 4;
constexpr int COLS = INTER < 4 * SIDE ? (INTER + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(INTER + WIDE - 1) / WIDE, (TOKENS + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* w,
                                     const int* offsets, double* y) {
  __shared__ alignas(16) double of_x[SIDE][HIGH + 2];
  __shared__ alignas(16) double of_w[SIDE][WIDE + 2];
  const int col = threadIdx.x;
  const int row = threadIdx.y;
  const int top = blockIdx.y * HIGH;
  const int left = blockIdx.x * WIDE;
  double sums[ROWS][COLS] = {};
  for (long long expert = 0; expert < EXPERTS; ++expert) {
    const int from = max(offsets[expert], top);
    const int to = min(offsets[expert + 1], min(top + HIGH, TOKENS));
    if (from >= to) continue;  // none of the tile
    for (int begin = 0; begin < HIDDEN; begin += SIDE) {
      const int at = begin + col;
      for (int i = 0; i < HIGH; i += SIDE) {
        const long long token = top + i + row;
        const bool is_there = from <= token && token < to && at < HIDDEN;
        of_x[col][i + row] = is_there ? __bfloat162float(x[token * HIDDEN + at]) : 0.0;
      }
      for (int j = 0; j < WIDE; j += SIDE) {
        const int inter = left + j + row;
        const bool is_there = inter < INTER && at < HIDDEN;
        of_w[col][j + row] =
            is_there ? __bfloat162float(w[(expert * INTER + inter) * HIDDEN + at]) : 0.0;
      }
      __syncthreads();
#pragma unroll 2
      for (int step = 0; step < SIDE; ++step) {
        for (int i = 0; i < ROWS; ++i)
          for (int j = 0; j < COLS; ++j)
            sums[i][j] += of_x[step][row * ROWS + i] * of_w[step][j * SIDE + col];
      }
      __syncthreads();
    }
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const long long token = top + row * ROWS + i;
      const int inter = left + j * SIDE + col;
      if (token < TOKENS && inter < INTER) y[token * INTER + inter] = sums[i][j];
    }
  }
}
