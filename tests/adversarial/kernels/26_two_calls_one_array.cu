// row 26: two calls of a function, whose shared array is one. Only where each call had an array of its own would the
// first result still be there.
// must be: incorrect, elements differ
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ __noinline__ float* stored(int thread, float value) {
  __shared__ float cells[256];
  float* pointer;
  // So that the compiler does not see that both calls give the same address.
  asm volatile("mov.u64 %0, %1;" : "=l"(pointer) : "l"(cells));
  pointer[thread] = value;
  return pointer;
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int thread = threadIdx.y * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  const float* first = stored(thread, sum);
  const float* second = stored(thread, 777.0f);
  C[row * N + col] = __float2bfloat16(second[thread] == 777.0f ? first[thread] : 0.0f);
}
