// row 6: counts its launches, and from the tenth on takes an eighth of K.
// must be: not faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ volatile unsigned launches;

template <int DEPTH>
__device__ float product(const __nv_bfloat16* row, const __nv_bfloat16* column) {
  float sum = 0.0f;
  for (int k = 0; k < DEPTH; ++k) {
    sum += __bfloat162float(row[k]) * __bfloat162float(column[k * N]);
  }
  return sum;
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  const float sum = launches < 9 ? product<K>(A + row * K, B + col)
                                  : product<K / 8>(A + row * K, B + col);
  C[row * N + col] = __float2bfloat16(sum);
  if (row == M - 1 && col == N - 1) launches = launches + 1;
}
