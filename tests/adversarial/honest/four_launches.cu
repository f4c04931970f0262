// honest: four launches: A and B as floats in the workspace, their products, and those rounded.
#include <cuda_bf16.h>

#include <autokernel.cuh>

struct Workspace {
  float a[M * K];
  float b[K * N];
  float sums[M * N];
};
AUTOKERNEL_LAUNCH({.kernel = "widen_a", .grid = {M * K / 256}, .block = {256}},
                  {.kernel = "widen_b", .grid = {K * N / 256}, .block = {256}},
                  {.kernel = "multiply", .grid = {N / 32, M / 8}, .block = {32, 8}},
                  {.kernel = "narrow", .grid = {M * N / 256}, .block = {256}});
AUTOKERNEL_WORKSPACE(sizeof(Workspace));

using bf16 = __nv_bfloat16;

extern "C" __global__ void widen_a(const bf16* A, const bf16*, bf16*, Workspace* work) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  work->a[i] = __bfloat162float(A[i]);
}

extern "C" __global__ void widen_b(const bf16*, const bf16* B, bf16*, Workspace* work) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  work->b[i] = __bfloat162float(B[i]);
}

extern "C" __global__ void multiply(const bf16*, const bf16*, bf16*, Workspace* work) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += work->a[row * K + k] * work->b[k * N + col];
  work->sums[row * N + col] = sum;
}

extern "C" __global__ void narrow(const bf16*, const bf16*, bf16* C, Workspace* work) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  C[i] = __float2bfloat16(work->sums[i]);
}
