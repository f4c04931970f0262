// C = A x B with 32 x 32 tiles of A and B in shared memory.
// launch: grid 32 32 block 32 32
#include <cuda_bf16.h>

constexpr int N = 1024;
constexpr int K = 1024;
constexpr int TILE = 32;

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ __nv_bfloat16 tile_a[TILE][TILE];
  __shared__ __nv_bfloat16 tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int col = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;

  float sum = 0.0f;
  for (int start = 0; start < K; start += TILE) {
    tile_a[y][x] = A[row * K + start + x];
    tile_b[y][x] = B[(start + y) * N + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      sum += __bfloat162float(tile_a[y][k]) * __bfloat162float(tile_b[k][x]);
    }
    __syncthreads();
  }
  C[row * N + col] = __float2bfloat16(sum);
}
