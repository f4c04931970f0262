// honest: a function with a shared array of its own, called once to write and once to read: there is one of it.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int COLS = 32;
constexpr int ROWS = 8;
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / COLS, M / ROWS}, .block = {COLS, ROWS}});

enum class Access { read, write };

__device__ __noinline__ float cell(int thread, Access access, float value) {
  __shared__ float cells[COLS * ROWS];
  if (access == Access::write) cells[thread] = value;
  return cells[thread];
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C) {
  const int col = blockIdx.x * COLS + threadIdx.x;
  const int row = blockIdx.y * ROWS + threadIdx.y;
  const int thread = threadIdx.y * COLS + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  cell(thread, Access::write, sum);
  C[row * N + col] = __float2bfloat16(cell(thread, Access::read, 0.0f));
}
