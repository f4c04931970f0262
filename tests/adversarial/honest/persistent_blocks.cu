// honest: as many blocks as there are multiprocessors, each of which fetches its next tile from a counter that begins at
// zero with every launch.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 32;
constexpr int TILES = M / TILE * (N / TILE);
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {8}, .block = {TILE, 8}});

__device__ unsigned next_tile;

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  __shared__ unsigned tile;
  for (;;) {
    if (threadIdx.x == 0 && threadIdx.y == 0) tile = atomicAdd(&next_tile, 1u);
    __syncthreads();
    const unsigned mine = tile;
    __syncthreads();
    if (mine >= TILES) return;
    const int col = mine % (N / TILE) * TILE + threadIdx.x;
    for (int row = mine / (N / TILE) * TILE + threadIdx.y; row < (mine / (N / TILE) + 1) * TILE;
         row += 8) {
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) {
        sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
      }
      C[row * N + col] = __float2bfloat16(sum);
    }
  }
}
