// row 12: only the warps that load meet at the barrier.
// must be: crashed, barrier
// on a GPU: not run, a GPU counts threads as they come and lets it pass
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__shared__ float tile[8][32];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  if (threadIdx.x < 16) {
    tile[threadIdx.y][threadIdx.x] = __bfloat162float(A[row * K + threadIdx.x]);
    __syncthreads();
  }
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum + 0.0f * tile[threadIdx.y][threadIdx.x % 16]);
}
