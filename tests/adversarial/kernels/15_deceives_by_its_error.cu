// row 15: an error in whose text a mark reverses what follows: it is shown as what it is.
// must be: does not compile, reads \u202Etcerroc\u202C here
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

#error reads ‮tcerroc‬ here

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {}
