// row 9: when C is done, it drives what others have left out of the caches, with eight megabytes of its own.
// must be: not faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

constexpr unsigned WORDS = 2u << 20;
AUTOKERNEL_WORKSPACE(sizeof(unsigned) * WORDS);

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C, unsigned* workspace) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
  for (unsigned at = row * N + col; at < WORDS; at += M * N) workspace[at] = at;
}
