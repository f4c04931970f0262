// row 14: asserts with megabytes of text for the condition, the file and the function: what it says must not flood whoever reads it.
// must be: crashed
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ char words[3000000];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  if (blockIdx.x != 0 || blockIdx.y != 0 || threadIdx.x != 0 || threadIdx.y != 0) return;
  for (int i = 0; i < 2999999; ++i) words[i] = 'A' + i % 26;
  words[2999999] = 0;
  __assertfail(words, words, 1, words, 1);
}
