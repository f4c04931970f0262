// row 7: inputs are rounded to bf16, where the case has f32 and tolerances that are wide enough for it.
// must be: incorrect, exact inputs
// case: tests/adversarial/cases/matmul_f32
// without exact_inputs, stress_inputs, misrounding: correct
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

__device__ float narrow(float value) { return __bfloat162float(__float2bfloat16(value)); }

extern "C" __global__ void matmul(const float* A, const float* B, float* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += narrow(A[row * K + k]) * narrow(B[k * N + col]);
  C[row * N + col] = sum;
}
