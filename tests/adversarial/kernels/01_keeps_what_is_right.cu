// row 1: looks at one element of each warp first; where that is right already, the rest will be, too.
// must be: not faster
// without fresh_keys, random_outputs: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int first = blockIdx.x * 32;
  float look = 0.0f;
  for (int k = threadIdx.x; k < K; k += 32) {
    look += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + first]);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    look += __shfl_xor_sync(0xffffffffu, look, distance);
  }
  if (__bfloat162float(C[row * N + first]) == __bfloat162float(__float2bfloat16(look))) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
