// The default case's kernel with a quarter more work: what the kernels of row 17 are compared with.
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ float product(const __nv_bfloat16* A, const __nv_bfloat16* B, int row, int k, int col) {
  return __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float waste = 0;
  for (int k = 0; k < K / 4; ++k) waste += product(A, B, row, k, col);
  float sum = waste == 12345.678f ? 1 : 0;
  for (int k = 0; k < K; ++k) sum += product(A, B, row, k, col);
  C[row * N + col] = __float2bfloat16(sum);
}
