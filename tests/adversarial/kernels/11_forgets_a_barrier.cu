// row 11: the tiles of the next step are written while other warps still read those of this one.
// must be: incorrect, elements differ
// on a GPU: not run, warps of a block run nearly in step there, and the race hardly shows
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 16;
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE, M / TILE}, .block = {TILE, TILE}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < K; start += TILE) {
    tile_a[threadIdx.y][threadIdx.x] = __bfloat162float(A[row * K + start + threadIdx.x]);
    tile_b[threadIdx.y][threadIdx.x] = __bfloat162float(B[(start + threadIdx.y) * N + col]);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
  }
  C[row * N + col] = __float2bfloat16(sum);
}
