// A tile of 32 x 32 by way of shared memory for each block. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 32;
constexpr int HEIGHT = 8;  // rows that a block reads at once

AUTOKERNEL_LAUNCH({.kernel = "transpose",
                   .grid = {(COLS + TILE - 1) / TILE, (ROWS + TILE - 1) / TILE},
                   .block = {TILE, HEIGHT}});

extern "C" __global__ void transpose(const __nv_bfloat16* x, __nv_bfloat16* y) {
  __shared__ __nv_bfloat16 tile[TILE][TILE + 1];
  const int left = blockIdx.x * TILE;
  const int top = blockIdx.y * TILE;
  for (int i = threadIdx.y; i < TILE; i += HEIGHT) {
    if (top + i < ROWS && left + threadIdx.x < COLS) {
      tile[i][threadIdx.x] = x[static_cast<long long>(top + i) * COLS + left + threadIdx.x];
    }
  }
  __syncthreads();
  for (int i = threadIdx.y; i < TILE; i += HEIGHT) {
    if (left + i < COLS && top + threadIdx.x < ROWS) {
      y[static_cast<long long>(left + i) * ROWS + top + threadIdx.x] = tile[threadIdx.x][i];
    }
  }
}
