// The sum and its norm: a block for a row, two passes over it. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "add_rmsnorm", .grid = {ROWS}, .block = {THREADS}});

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

extern "C" __global__ void add_rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* residual,
                                       const __nv_bfloat16* weight, __nv_bfloat16* h,
                                       __nv_bfloat16* y, float epsilon) {
  const long long begin = static_cast<long long>(blockIdx.x) * COLS;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    h[begin + col] = __float2bfloat16(__bfloat162float(x[begin + col]) +
                                      __bfloat162float(residual[begin + col]));
    const float value = __bfloat162float(h[begin + col]);
    squares += value * value;
  }
  const float scale = rsqrtf(sum_over_block(squares) / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    y[begin + col] =
        __float2bfloat16(__bfloat162float(h[begin + col]) * scale * __bfloat162float(weight[col]));
  }
}
