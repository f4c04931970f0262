// row 13: right, after 0.4 s; a launch or two would be in time.
// must be: timed out, checking the kernel took more than 3 s
// arguments: --timeout 3
// without deadlines: correct
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
  unsigned long long begin;
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (blockIdx.x + blockIdx.y == 0 && now - begin < 400000000ull);
  C[row * N + col] = __float2bfloat16(sum);
}
