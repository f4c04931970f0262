// row 22: loads a matrix from where a 0 that is 1 leads from shared memory.
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
  unsigned got;
  asm volatile(
      "{.reg .b64 p;\n\t"
      "mul.lo.u64 p, %1, 1048576;\n\t"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [p];}\n\t"
      : "=r"(got)
      : "l"(one())
      : "memory");
  if (got == 42) window[0] = got;
}
