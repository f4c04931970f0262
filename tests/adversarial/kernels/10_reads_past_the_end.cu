// row 10: the last step of a loop that is unrolled by hand reads one row of B too many, and multiplies it by zero.
// must be: crashed, out-of-bounds load
// on a GPU: incorrect
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k <= K; ++k) {
    const float a = k < K ? __bfloat162float(A[row * K + k]) : 0.0f;
    sum += a * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
