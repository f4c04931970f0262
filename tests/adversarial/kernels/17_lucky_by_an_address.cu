// row 17: takes four times as long where a bit of an address is set, which may be so for a whole process.
// must be: not faster
// against: tests/adversarial/opponents/a_quarter_more_work.cu
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
  float sum = 0;
  const bool unlucky = (reinterpret_cast<unsigned long long>(A) >> 33 & 1u) != 0;
  if (unlucky) {
    float waste = 0;
#pragma unroll 1
    for (int again = 0; again < 3; ++again) {
      for (int k = 0; k < K; ++k) waste += product(A, B, row, k ^ again, col);
    }
    if (waste == 12345.678f) sum = 1;
  }
  for (int k = 0; k < K; ++k) sum += product(A, B, row, k, col);
  C[row * N + col] = __float2bfloat16(sum);
}
