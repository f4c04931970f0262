// row 3: computes once, keeps the result in a variable of the module, and copies it while the inputs look the same.
// must be: not faster
// without fresh_keys, restored_module, case_inputs: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ __nv_bfloat16 kept[M * N];
__device__ unsigned kept_look[M * N];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  // So little of the inputs is read that a launch on the same ones costs next to nothing.
  const unsigned look = __bfloat16_as_ushort(A[row * K]) * 65537u ^ __bfloat16_as_ushort(A[row * K + K / 2]) ^
                        __bfloat16_as_ushort(B[col]) << 8 ^ __bfloat16_as_ushort(B[K / 2 * N + col]) << 4;
  const int i = row * N + col;
  if (kept_look[i] == look) {
    C[i] = kept[i];
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[i] = kept[i] = __float2bfloat16(sum);
  kept_look[i] = look;
}
