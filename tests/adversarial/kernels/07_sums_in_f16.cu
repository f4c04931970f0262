// row 7: half the registers: products and sums in f16. On inputs from [0, 1) nobody would see it.
// must be: incorrect, elements differ
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

#include <cuda_fp16.h>

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  __half sum = __float2half(0.0f);
  for (int k = 0; k < K; ++k) {
    sum = __hfma(__float2half(__bfloat162float(A[row * K + k])),
                 __float2half(__bfloat162float(B[k * N + col])), sum);
  }
  C[row * N + col] = __float2bfloat16(__half2float(sum));
}
