// C = A x B with 64 x 64 elements of C per block and 8 x 2 of them in each thread's registers: ten
// reads of shared memory serve sixteen multiplications.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = 32;  // of the block: a warp is one row of it
constexpr int HEIGHT = 8;
constexpr int ROWS = 8;  // of C per thread, HEIGHT apart
constexpr int COLS = 2;  // of C per thread, WIDTH apart
constexpr int TILE_M = HEIGHT * ROWS;
constexpr int TILE_N = WIDTH * COLS;
constexpr int DEPTH = 32;  // how much of K is held in shared memory at once
static_assert(DEPTH == WIDTH, "a warp loads one row of A's tile");

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE_N, M / TILE_M}, .block = {WIDTH, HEIGHT}});

extern "C" __global__ void __launch_bounds__(WIDTH* HEIGHT)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ float tile_a[TILE_M][DEPTH];
  __shared__ float tile_b[DEPTH][TILE_N];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;

  float sum[ROWS][COLS] = {};
  for (int start = 0; start < K; start += DEPTH) {
#pragma unroll
    for (int row = y; row < TILE_M; row += HEIGHT) {
      tile_a[row][x] = __bfloat162float(A[(first_row + row) * K + start + x]);
    }
#pragma unroll
    for (int k = y; k < DEPTH; k += HEIGHT) {
#pragma unroll
      for (int j = 0; j < COLS; ++j) {
        tile_b[k][x + j * WIDTH] = __bfloat162float(B[(start + k) * N + first_col + x + j * WIDTH]);
      }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      float b[COLS];
#pragma unroll
      for (int j = 0; j < COLS; ++j) b[j] = tile_b[k][x + j * WIDTH];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        const float a = tile_a[y + i * HEIGHT][k];
#pragma unroll
        for (int j = 0; j < COLS; ++j) sum[i][j] += a * b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
#pragma unroll
    for (int j = 0; j < COLS; ++j) {
      C[(first_row + y + i * HEIGHT) * N + first_col + x + j * WIDTH] = __float2bfloat16(sum[i][j]);
    }
  }
}
