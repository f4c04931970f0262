// C = A x B with 32 x 32 tiles of A and B in shared memory. Each thread computes four elements of a
// column of C, so that what it reads of B serves four times.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 32;
constexpr int PER_THREAD = 4;
constexpr int HEIGHT = TILE / PER_THREAD;  // of the block; a thread's rows are that far apart

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE, M / TILE}, .block = {TILE, HEIGHT}});

extern "C" __global__ void __launch_bounds__(TILE* HEIGHT)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int col = blockIdx.x * TILE + x;
  const int first_row = blockIdx.y * TILE;

  float sum[PER_THREAD] = {};
  for (int start = 0; start < K; start += TILE) {
#pragma unroll
    for (int row = y; row < TILE; row += HEIGHT) {
      tile_a[row][x] = __bfloat162float(A[(first_row + row) * K + start + x]);
      tile_b[row][x] = __bfloat162float(B[(start + row) * N + col]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      const float b = tile_b[k][x];
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i) sum[i] += tile_a[y + i * HEIGHT][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    C[(first_row + y + i * HEIGHT) * N + col] = __float2bfloat16(sum[i]);
  }
}
