// row 22: takes its address from a register that its only instruction has passed over.
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
      "{.reg .b64 a, b, c;\n\t"
      ".reg .b32 s;\n\t"
      ".reg .pred p;\n\t"
      "ld.global.u32 s, [%0];\n\t"
      "setp.eq.u32 p, s, 77;\n\t"
      "@p mov.u64 a, 1;\n\t"
      "sub.u64 b, 1, a;\n\t"
      "mul.lo.u64 c, b, 1048576;\n\t"
      "st.shared.u64 [c], b;}\n\t"
      :: "l"(&seed)
      : "memory");
}
