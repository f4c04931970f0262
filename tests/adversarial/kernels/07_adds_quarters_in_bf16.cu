// row 7: each quarter of K is summed in float, but the quarters are added in bf16, as a split over blocks
// does that saves half its workspace.
// must be: incorrect, elements differ
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  __nv_bfloat16 sum = __float2bfloat16(0.0f);
  for (int begin = 0; begin < K; begin += K / 4) {
    float part = 0.0f;
    for (int k = begin; k < begin + K / 4; ++k) {
      part += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    }
    sum = __hadd(sum, __float2bfloat16(part));
  }
  C[row * N + col] = sum;
}
