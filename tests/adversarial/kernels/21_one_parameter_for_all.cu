// row 21: one parameter of 24 bytes that lie as three pointers do: the driver reads them from where the first pointer stands, of which 16 are beyond it.
// must be: does not compile, has 2 parameters and is given 3
// without parameter_layout: correct
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

struct Operands {
  const __nv_bfloat16* A;
  const __nv_bfloat16* B;
  __nv_bfloat16* C;
};

extern "C" __global__ void matmul(Operands operands, float* more) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(operands.A[row * K + k]) * __bfloat162float(operands.B[k * N + col]);
  }
  operands.C[row * N + col] = __float2bfloat16(sum);
  if (row == 0 && col == 0) printf("more: %p\n", more);
}
