// honest: all its parameters are __grid_constant__, a structure that holds one pointer among them.
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

struct Output {
  __nv_bfloat16* data;
};

extern "C" __global__ void matmul(__grid_constant__ const __nv_bfloat16* const A,
                                  __grid_constant__ const __nv_bfloat16* const B,
                                  const __grid_constant__ Output C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C.data[row * N + col] = __float2bfloat16(sum);
}
