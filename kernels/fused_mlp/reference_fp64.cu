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

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* gate,
                                     const __nv_bfloat16* up, double* y) {
  __shared__ alignas(16) double of_x[SIDE][HIGH + 2];
  __shared__ alignas(16) double of_gate[SIDE][WIDE + 2];
  __shared__ alignas(16) double of_up[SIDE][WIDE + 2];
  const int col = threadIdx.x;
  const int row = threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  double by_gate[ROWS][COLS] = {};
  double by_up[ROWS][COLS] = {};
  for (int begin = 0; begin < HIDDEN; begin += SIDE) {
    // Zero beyond the ends.
    const int at = begin + col;
    for (int i = 0; i < HIGH; i += SIDE) {
      const long long token = top + i + row;
      const bool is_there = token < TOKENS && at < HIDDEN;
      of_x[col][i + row] = is_there ? __bfloat162float(x[token * HIDDEN + at]) : 0.0;
    }
    for (int j = 0; j < WIDE; j += SIDE) {
      const long long inter = left + j + row;
      const bool is_there = inter < INTER && at < HIDDEN;
      of_gate[col][j + row] = is_there ? __bfloat162float(gate[inter * HIDDEN + at]) : 0.0;
      of_up[col][j + row] = is_there ? __bfloat162float(up[inter * HIDDEN + at]) : 0.0;
    }
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < SIDE; ++step) {
      for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < COLS; ++j) {
          by_gate[i][j] += of_x[step][row * ROWS + i] * of_gate[step][j * SIDE + col];
          by_up[i][j] += of_x[step][row * ROWS + i] * of_up[step][j * SIDE + col];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const long long token = top + row * ROWS + i;
      const long long inter = left + j * SIDE + col;
      const double silu = by_gate[i][j] / (1 + exp(-by_gate[i][j]));
      if (token < TOKENS && inter < INTER) y[token * INTER + inter] = silu * by_up[i][j];
    }
  }
}
