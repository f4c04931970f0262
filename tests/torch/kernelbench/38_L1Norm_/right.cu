// Each row over the mean of its absolute values: a block for a row.
#include <autokernel.cuh>

constexpr int COLS = 65535;
constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "l1_norm", .grid = {batch_size}, .block = {THREADS}});

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

extern "C" __global__ void l1_norm(const float* x, float* output) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  output += static_cast<long long>(blockIdx.x) * COLS;
  float sum = 0;
  for (int i = threadIdx.x; i < COLS; i += THREADS) sum += fabsf(x[i]);
  const float mean = block_sum(sum) / COLS;
  for (int i = threadIdx.x; i < COLS; i += THREADS) output[i] = x[i] / mean;
}
