// Softmax of each row: a block for a row, three passes over it. A start, and right at every size.
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {ROWS}, .block = {THREADS}});

// One value of each thread to one of the block.
template <typename Combine>
__device__ float over_block(float value, Combine combine) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  value = values[0];
  __syncthreads();
  return value;
}

extern "C" __global__ void softmax(const TYPE* x, TYPE* y) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  y += static_cast<long long>(blockIdx.x) * COLS;
  float most = -CUDART_INF_F;
  for (int col = threadIdx.x; col < COLS; col += THREADS)
    most = fmaxf(most, static_cast<float>(x[col]));
  most = over_block(most, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS)
    sum += __expf(static_cast<float>(x[col]) - most);
  sum = over_block(sum, [](float a, float b) { return a + b; });
  for (int col = threadIdx.x; col < COLS; col += THREADS) {
    y[col] = static_cast<TYPE>(__expf(static_cast<float>(x[col]) - most) / sum);
  }
}
