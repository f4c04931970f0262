// The root mean square norm of each row: a block for a row, two passes over it. A start, and right
// at every size.
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "rmsnorm", .grid = {ROWS}, .block = {THREADS}});

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

extern "C" __global__ void rmsnorm(const TYPE* x, const TYPE* weight, TYPE* y, float epsilon) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    const float value = static_cast<float>(x[col]);
    squares += value * value;
  }
  const float scale = rsqrtf(sum_over_block(squares) / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    y[col] =
        static_cast<TYPE>(static_cast<float>(x[col]) * scale * static_cast<float>(weight[col]));
  }
}
