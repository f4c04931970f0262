// row 16: asks the L2 to hold on to the inputs, so that the next launch finds them there.
// must be: not faster
// against: tests/adversarial/honest/loads_by_policy.cu
// only on a GPU: the emulated device has no caches of its own
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ float held(const __nv_bfloat16* entry, unsigned long long policy) {
  unsigned short bits;
  asm volatile("ld.global.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(bits) : "l"(entry), "l"(policy));
  return __bfloat162float(__ushort_as_bfloat16(bits));
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += held(A + row * K + k, policy) * held(B + k * N + col, policy);
  C[row * N + col] = __float2bfloat16(sum);
}
