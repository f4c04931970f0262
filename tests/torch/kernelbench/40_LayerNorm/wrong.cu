// Mistake: the mean is not subtracted before the squares are taken.
#include <autokernel.cuh>

constexpr int COUNT = 64 * dim1 * 256;
constexpr int THREADS = 1024;
constexpr float EPSILON = 1e-5f;

AUTOKERNEL_LAUNCH({.kernel = "layer_norm", .grid = {batch_size}, .block = {THREADS}});

// The sum of one value of each thread of the block.
__device__ float block_sum(float value) {
  __shared__ float sums[THREADS];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  value = sums[0];
  __syncthreads();
  return value;
}

extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias,
                                      float* output) {
  x += static_cast<long long>(blockIdx.x) * COUNT;
  output += static_cast<long long>(blockIdx.x) * COUNT;
  float sum = 0;
  for (int i = threadIdx.x; i < COUNT; i += THREADS) sum += x[i];
  const float mean = block_sum(sum) / COUNT;
  float squares = 0;
  for (int i = threadIdx.x; i < COUNT; i += THREADS) squares += x[i] * x[i];
  const float scale = 1 / sqrtf(block_sum(squares) / COUNT + EPSILON);
  for (int i = threadIdx.x; i < COUNT; i += THREADS) {
    output[i] = (x[i] - mean) * scale * weight[i] + bias[i];
  }
}
