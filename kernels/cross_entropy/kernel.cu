// The loss of each row: a block for a row, two passes over it. A start, and right at every size.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "cross_entropy", .grid = {ROWS}, .block = {THREADS}});

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

extern "C" __global__ void cross_entropy(const __nv_bfloat16* x, const int* target, float* loss) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  float most = -CUDART_INF_F;
  for (int col = threadIdx.x; col < COLS; col += THREADS)
    most = fmaxf(most, __bfloat162float(x[col]));
  most = over_block(most, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += THREADS)
    sum += __expf(__bfloat162float(x[col]) - most);
  sum = over_block(sum, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0)
    loss[blockIdx.x] = __logf(sum) + (most - __bfloat162float(x[target[blockIdx.x]]));
}
