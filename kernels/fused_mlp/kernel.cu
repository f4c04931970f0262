// The gated product by tiles of 16 x 16 elements, a thread for each: tiles of the three inputs go
// through shared memory. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 16;

AUTOKERNEL_LAUNCH({.kernel = "fused_mlp",
                   .grid = {(INTER + TILE - 1) / TILE, (TOKENS + TILE - 1) / TILE},
                   .block = {TILE, TILE}});

// An element of a matrix with rows of HIDDEN, or zero beyond its end.
__device__ float element(const __nv_bfloat16* matrix, long long row, int rows, int col) {
  return row < rows && col < HIDDEN ? __bfloat162float(matrix[row * HIDDEN + col]) : 0.0f;
}

extern "C" __global__ void fused_mlp(const __nv_bfloat16* x, const __nv_bfloat16* gate,
                                     const __nv_bfloat16* up, __nv_bfloat16* y) {
  __shared__ float of_x[TILE][TILE + 1];
  __shared__ float of_gate[TILE][TILE + 1];
  __shared__ float of_up[TILE][TILE + 1];
  const int token = blockIdx.y * TILE + threadIdx.y;
  const int inter = blockIdx.x * TILE + threadIdx.x;
  float by_gate = 0;
  float by_up = 0;
  for (int begin = 0; begin < HIDDEN; begin += TILE) {
    const int col = begin + threadIdx.x;
    of_x[threadIdx.y][threadIdx.x] = element(x, token, TOKENS, col);
    of_gate[threadIdx.y][threadIdx.x] = element(gate, blockIdx.x * TILE + threadIdx.y, INTER, col);
    of_up[threadIdx.y][threadIdx.x] = element(up, blockIdx.x * TILE + threadIdx.y, INTER, col);
    __syncthreads();
    for (int i = 0; i < TILE; ++i) {
      by_gate += of_x[threadIdx.y][i] * of_gate[threadIdx.x][i];
      by_up += of_x[threadIdx.y][i] * of_up[threadIdx.x][i];
    }
    __syncthreads();
  }
  if (token >= TOKENS || inter >= INTER) return;
  const float silu = by_gate / (1 + __expf(-by_gate));
  y[static_cast<long long>(token) * INTER + inter] = __float2bfloat16(silu * by_up);
}
