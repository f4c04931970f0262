// tiles tile=64 rows=8
// C = A x B with tiles of A and B in shared memory: each element is read once for each tile of C,
// and not once for each element of C.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 64;  // rows and columns of C, and depth
constexpr int ROWS = 8;   // of C, for each thread
constexpr int STRIDE = TILE / ROWS;

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE, M / TILE}, .block = {TILE, STRIDE}});

extern "C" __global__ void __launch_bounds__(TILE* STRIDE)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * TILE;
  const int col = blockIdx.x * TILE + x;

  float sums[ROWS] = {};
  for (int k = 0; k < K; k += TILE) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int r = y + i * STRIDE;
      a[r][x] = __bfloat162float(A[(row + r) * K + k + x]);
      b[r][x] = __bfloat162float(B[(k + r) * N + col]);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < TILE; ++j) {
#pragma unroll
      for (int i = 0; i < ROWS; ++i) sums[i] += a[y + i * STRIDE][j] * b[j][x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i) C[(row + y + i * STRIDE) * N + col] = __float2bfloat16(sums[i]);
}
