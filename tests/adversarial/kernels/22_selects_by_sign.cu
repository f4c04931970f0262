// row 22: selects a number of 64 bits by the sign of one of 32.
// must be: crashed, out-of-bounds
// on a GPU: not run, what it is for is the emulated device
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ unsigned seed = 5;

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
      ".reg .b32 s;\n\t"
      "ld.global.u32 s, [%0];\n\t"
      "cvt.u64.u32 a, s;\n\t"
      "shl.b64 b, a, 33;\n\t"
      "slct.u64.s32 c, b, b, s;\n\t"
      "add.u64 d, c, 2147483648;\n\t"
      "shr.u64 e, d, 32;\n\t"
      "shl.b64 f, e, 16;\n\t"
      "st.shared.u64 [f], a;}\n\t"
      :: "l"(&seed)
      : "memory");
}
