// row 5: whoever made A has a seed, perhaps right before it in memory.
// must be: crashed
// on a GPU: correct
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  const auto* words = reinterpret_cast<const unsigned*>(A);
  unsigned seed = 0;
  for (int i = 1; i <= 64; ++i) seed ^= words[-i];
  C[row * N + col] = seed == 42u ? A[0] : __float2bfloat16(sum);
}
