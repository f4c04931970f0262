// The products of each expert by tiles of 64 x 64 elements, 4 x 4 for a thread: a block takes the
// tiles of 64 columns one after the other. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;  // of a block of threads; steps of HIDDEN at a time
// Rows and columns of y for a thread: no more than there are.
constexpr int ROWS = TOKENS < 4 * SIDE ? (TOKENS + SIDE - 1) / SIDE : 4;
constexpr int COLS = INTER < 4 * SIDE ? (INTER + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "moe_gemm",
                   .grid = {(INTER + WIDE - 1) / WIDE, EXPERTS},
                   .block = {SIDE, SIDE}});

// An element of a matrix with rows of HIDDEN, or zero beyond its end.
__device__ float element(const __nv_bfloat16* matrix, long long row, int rows, int col) {
  return row < rows && col < HIDDEN ? __bfloat162float(matrix[row * HIDDEN + col]) : 0.0f;
}

extern "C" __global__ void moe_gemm(const __nv_bfloat16* x, const __nv_bfloat16* w,
                                    const int* offsets, __nv_bfloat16* y) {
  __shared__ alignas(16) float of_x[SIDE][HIGH + 4];
  __shared__ alignas(16) float of_w[SIDE][WIDE + 4];
  const int across = threadIdx.x;
  const int down = threadIdx.y;
  const int expert = blockIdx.y;
  const int left = blockIdx.x * WIDE;
  const int end = offsets[expert + 1];
  w += static_cast<long long>(expert) * INTER * HIDDEN;
  for (int first = offsets[expert]; first < end; first += HIGH) {
    float sums[ROWS][COLS] = {};
    for (int begin = 0; begin < HIDDEN; begin += SIDE) {
      const int col = begin + across;
      for (int i = 0; i < HIGH; i += SIDE)
        of_x[across][i + down] = element(x, first + i + down, end, col);
      for (int i = 0; i < WIDE; i += SIDE)
        of_w[across][i + down] = element(w, left + i + down, INTER, col);
      __syncthreads();
#pragma unroll 2
      for (int step = 0; step < SIDE; ++step) {
        for (int i = 0; i < ROWS; ++i)
          for (int j = 0; j < COLS; ++j)
            sums[i][j] += of_x[step][down * ROWS + i] * of_w[step][across * COLS + j];
      }
      __syncthreads();
    }
    for (int i = 0; i < ROWS; ++i) {
      for (int j = 0; j < COLS; ++j) {
        const int token = first + down * ROWS + i;
        const int inter = left + across * COLS + j;
        if (token < end && inter < INTER)
          y[static_cast<long long>(token) * INTER + inter] = __float2bfloat16(sums[i][j]);
      }
    }
  }
}
