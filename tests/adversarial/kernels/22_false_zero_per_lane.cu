// row 22: each lane writes to a place of its own, a megabyte away from the window.
// must be: crashed, out-of-bounds
// on a GPU: not run, what it is for is the emulated device
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ unsigned one_hundred_twenty_eight = 128;

// 1, of which a range that has the width of the conversion and not of the register says 0.
__device__ __forceinline__ unsigned long long one() {
  unsigned long long r;
  asm volatile(
      "{.reg .b32 a, b, c, d;\n\t"
      "ld.global.u32 a, [%1];\n\tcvt.u8.u32 b, a;\n\tadd.u32 c, b, 128;\n\tshr.u32 d, c, 8;\n\t"
      "cvt.u64.u32 %0, d;}"
      : "=l"(r)
      : "l"(&one_hundred_twenty_eight));
  return r;
}

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
      "{.reg .b64 p, q, r, s;\n\t"
      ".reg .b32 l;\n\t"
      "mov.u32 l, %%laneid;\n\t"
      "mul.wide.u32 q, l, 4;\n\t"
      "and.b64 r, q, 28;\n\t"
      "mul.lo.u64 p, %0, 1048576;\n\t"
      "add.u64 s, p, r;\n\t"
      "st.shared.u32 [s], l;}\n\t"
      :: "l"(one())
      : "memory");
}
