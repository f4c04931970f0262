// Rounds the sum to bf16, which has three bits less.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "bias_relu",
                   .grid = {(ROWS * COLS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void bias_relu(const __half* x, const __half* bias, __half* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= ROWS * COLS) return;
  const float sum = __half2float(x[i]) + __half2float(bias[i % COLS]);
  y[i] = __float2half(fmaxf(__bfloat162float(__float2bfloat16(sum)), 0.0f));
}
