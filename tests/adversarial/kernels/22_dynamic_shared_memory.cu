// row 22: writes behind dynamic shared memory, by a 0 that is 1.
// must be: crashed, out-of-bounds
// on a GPU: not run, what it is for is the emulated device
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}, .shared_bytes = 64});

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

extern __shared__ unsigned long long dynamic[];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  dynamic[threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
  if (blockIdx.x != 0 || blockIdx.y != 0 || threadIdx.y != 0) return;
  unsigned long long base;
  asm volatile("{.reg .b64 t; cvta.to.shared.u64 %0, %1;}" : "=l"(base) : "l"(dynamic));
  asm volatile(
      "{.reg .b64 p, q;\n\t"
      "mov.u64 p, dynamic;\n\t"
      "mad.lo.u64 q, %0, 4096, p;\n\t"
      "st.shared.u64 [q], %1;}\n\t"
      :: "l"(one()), "l"(base)
      : "memory");
}
