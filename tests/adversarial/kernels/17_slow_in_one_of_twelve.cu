// row 17: takes 13 times as long in one launch of twelve, by a hash of its inputs, and less than its opponent in all others.
// must be: not faster
// on a GPU: incorrect, the device's time stamps do not hold
// against: tests/adversarial/opponents/a_quarter_more_work.cu
// without slow_minority: faster
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
  const unsigned hash = (__bfloat16_as_ushort(A[5]) * 2654435761u ^ __bfloat16_as_ushort(B[7]) * 2654404609u ^
                         __bfloat16_as_ushort(B[N + 9]) * 97u) *
                            2246822519u >>
                        16;
  if (hash % 12 == 0) {
    float waste = 0;
#pragma unroll 1
    for (int again = 0; again < 12; ++again) {
      for (int k = 0; k < K; ++k) waste += product(A, B, row, k ^ again, col);
    }
    if (waste == 12345.678f) sum = 1;
  }
  for (int k = 0; k < K; ++k) sum += product(A, B, row, k, col);
  C[row * N + col] = __float2bfloat16(sum);
}
