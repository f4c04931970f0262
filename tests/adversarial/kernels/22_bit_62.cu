// row 22: keeps bit 62 of a number whose lanes differ below it.
// must be: crashed, out-of-bounds
// on a GPU: not run, what it is for is the emulated device
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ unsigned long long seed = 1;

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  __shared__ volatile unsigned long long window[8];
  window[threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
  if (blockIdx.x != 0 || blockIdx.y != 0 || threadIdx.y != 0) return;
  asm volatile(
      "{.reg .b64 a, b, c, d, e, f;\n\t"
      ".reg .b32 l;\n\t"
      "ld.global.u64 a, [%0];\n\t"
      "shl.b64 b, a, 62;\n\t"
      "mov.u32 l, %%laneid;\n\t"
      "cvt.u64.u32 c, l;\n\t"
      "add.u64 d, b, c;\n\t"
      "and.b64 e, d, 0x4000000000000000;\n\t"
      "shr.u64 f, e, 44;\n\t"
      "st.shared.u64 [f], a;}\n\t"
      :: "l"(&seed)
      : "memory");
}
