/* C = A x B, through shared memory.

   A block of 256 threads computes a square of C, one element each. For that it walks along K and
   keeps a square of A and one of B at hand, so that global memory is asked for each element once
   per block and not once per thread. */
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 16;  // a side of the squares

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE, M / TILE}, .block = {TILE, TILE}});

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int col = blockIdx.x * TILE + x;
  const int row = blockIdx.y * TILE + y;

  float sum = 0.0f;  // in fp32, as the check wants it
  for (int start = 0; start < K; start += TILE) {
    tile_a[y][x] = __bfloat162float(A[row * K + start + x]);
    tile_b[y][x] = __bfloat162float(B[(start + y) * N + col]);
    __syncthreads();  // both squares are there

#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];

    __syncthreads();  // nobody reads them any more
  }
  C[row * N + col] = __float2bfloat16(sum);
}
