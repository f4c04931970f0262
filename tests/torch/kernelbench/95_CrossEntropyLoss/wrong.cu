// Mistake: the losses are added up, but not divided by their number.
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int CLASSES = 4096;
constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "row_losses", .grid = {batch_size}, .block = {THREADS}},
                  {.kernel = "mean_loss", .grid = {1}, .block = {THREADS}});
AUTOKERNEL_WORKSPACE(sizeof(float) * batch_size);

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

__device__ float add(float a, float b) { return a + b; }

__device__ float larger(float a, float b) { return fmaxf(a, b); }

extern "C" __global__ void row_losses(const float* predictions, const long long* targets, float*,
                                      float* losses) {
  const float* row = predictions + static_cast<long long>(blockIdx.x) * CLASSES;
  float most = -CUDART_INF_F;
  for (int i = threadIdx.x; i < CLASSES; i += THREADS) most = fmaxf(most, row[i]);
  most = over_block(most, larger);
  float sum = 0;
  for (int i = threadIdx.x; i < CLASSES; i += THREADS) sum += expf(row[i] - most);
  sum = over_block(sum, add);
  if (threadIdx.x == 0) losses[blockIdx.x] = most + logf(sum) - row[targets[blockIdx.x]];
}

extern "C" __global__ void mean_loss(const float*, const long long*, float* output,
                                     const float* losses) {
  float sum = 0;
  for (int i = threadIdx.x; i < batch_size; i += THREADS) sum += losses[i];
  sum = over_block(sum, add);
  if (threadIdx.x == 0) output[0] = sum;
}
