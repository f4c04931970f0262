// The gated product by tiles of 64 x 64 elements, 4 x 4 for a thread: tiles of the three inputs go
// through shared memory. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads; steps of HIDDEN at a time
// Rows and columns of y for a thread: no more than there are.
constexpr int ROWS = TOKENS < 4 * SIDE ? (TOKENS + SIDE - 1) / SIDE : 4;
constexpr int COLS = INTER < 4 * SIDE ? (INTER + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "fused_mlp",
                   .grid = {(INTER + WIDE - 1) / WIDE, (TOKENS + HIGH - 1) / HIGH},
                   .block = {SIDE, SIDE}});

// An element of a matrix with rows of HIDDEN, or zero beyond its end.
__device__ float element(const __nv_bfloat16* matrix, long long row, int rows, int col) {
  return row < rows && col < HIDDEN ? __bfloat162float(matrix[row * HIDDEN + col]) : 0.0f;
}

extern "C" __global__ void fused_mlp(const __nv_bfloat16* x, const __nv_bfloat16* gate,
                                     const __nv_bfloat16* up, __nv_bfloat16* y) {
  __shared__ alignas(16) float of_x[SIDE][HIGH + 4];
  __shared__ alignas(16) float of_gate[SIDE][WIDE + 4];
  __shared__ alignas(16) float of_up[SIDE][WIDE + 4];
  const int across = threadIdx.x;
  const int down = threadIdx.y;
  const int top = blockIdx.y * HIGH;
  const int left = blockIdx.x * WIDE;
  float by_gate[ROWS][COLS] = {};
  float by_up[ROWS][COLS] = {};
  for (int begin = 0; begin < HIDDEN; begin += SIDE) {
    const int col = begin + across;
    for (int i = 0; i < HIGH; i += SIDE)
      of_x[across][i + down] = element(x, top + i + down, TOKENS, col);
    for (int i = 0; i < WIDE; i += SIDE) {
      of_gate[across][i + down] = element(gate, left + i + down, INTER, col);
      of_up[across][i + down] = element(up, left + i + down, INTER, col);
    }
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < SIDE; ++step) {
      for (int i = 0; i < ROWS; ++i) {
        const float value = of_x[step][down * ROWS + i];
        for (int j = 0; j < COLS; ++j) {
          by_gate[i][j] += value * of_gate[step][across * COLS + j];
          by_up[i][j] += value * of_up[step][across * COLS + j];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const int token = top + down * ROWS + i;
      const int inter = left + across * COLS + j;
      if (token >= TOKENS || inter >= INTER) continue;
      const float z = by_gate[i][j];
      const float silu = z / (1 + __expf(-z));
      y[static_cast<long long>(token) * INTER + inter] = __float2bfloat16(silu * by_up[i][j]);
    }
  }
}
