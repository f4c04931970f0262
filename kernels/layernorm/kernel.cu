// Layer normalisation of each row: a block for a row, three passes over it. A start, and right at
// every size.
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

extern "C" __global__ void layernorm(const TYPE* x, const TYPE* weight, const TYPE* bias, TYPE* y,
                                     float epsilon) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) sum += static_cast<float>(x[col]);
  const float mean = sum_over_block(sum) / COLS;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    const float distance = static_cast<float>(x[col]) - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(sum_over_block(squares) / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    const float value = (static_cast<float>(x[col]) - mean) * scale;
    y[col] =
        static_cast<TYPE>(value * static_cast<float>(weight[col]) + static_cast<float>(bias[col]));
  }
}
