// Layer normalisation of each row: a block for a row, three passes over it. A start, and right at
// every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "layernorm", .grid = {ROWS}, .block = {THREADS}});

// The sum of one value of each thread.
__device__ float sum_over_block(float value) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  value = values[0];
  __syncthreads();
  return value;
}

extern "C" __global__ void layernorm(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     const __nv_bfloat16* bias, __nv_bfloat16* y, float epsilon) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) sum += __bfloat162float(x[col]);
  const float mean = sum_over_block(sum) / COLS;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    const float distance = __bfloat162float(x[col]) - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(sum_over_block(squares) / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    const float value = (__bfloat162float(x[col]) - mean) * scale;
    y[col] = __float2bfloat16(value * __bfloat162float(weight[col]) + __bfloat162float(bias[col]));
  }
}
