// The products of each expert by tiles of 16 x 16 elements, a thread for each: a block takes the
// tiles of 16 columns one after the other. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 16;

AUTOKERNEL_LAUNCH({.kernel = "moe_gemm",
                   .grid = {(INTER + TILE - 1) / TILE, EXPERTS},
                   .block = {TILE, TILE}});

// An element of a matrix with rows of HIDDEN, or zero beyond its end.
__device__ float element(const __nv_bfloat16* matrix, long long row, int rows, int col) {
  return row < rows && col < HIDDEN ? __bfloat162float(matrix[row * HIDDEN + col]) : 0.0f;
}

extern "C" __global__ void moe_gemm(const __nv_bfloat16* x, const __nv_bfloat16* w,
                                    const int* offsets, __nv_bfloat16* y) {
  __shared__ float of_x[TILE][TILE + 1];
  __shared__ float of_w[TILE][TILE + 1];
  const int expert = blockIdx.y;
  const int inter = blockIdx.x * TILE + threadIdx.x;
  const int end = offsets[expert + 1];
  w += static_cast<long long>(expert) * INTER * HIDDEN;
  for (int first = offsets[expert]; first < end; first += TILE) {
    const int token = first + threadIdx.y;
    float sum = 0;
    for (int begin = 0; begin < HIDDEN; begin += TILE) {
      const int col = begin + threadIdx.x;
      of_x[threadIdx.y][threadIdx.x] = element(x, token, end, col);
      of_w[threadIdx.y][threadIdx.x] = element(w, blockIdx.x * TILE + threadIdx.y, INTER, col);
      __syncthreads();
      for (int i = 0; i < TILE; ++i) sum += of_x[threadIdx.y][i] * of_w[threadIdx.x][i];
      __syncthreads();
    }
    if (token < end && inter < INTER)
      y[static_cast<long long>(token) * INTER + inter] = __float2bfloat16(sum);
  }
}
