// The mean of smooth L1 losses: a launch clears the result, and blocks add their parts to it.
#include <autokernel.cuh>

constexpr int COLS = 32768;
constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "clear"},
                  {.kernel = "add_losses", .grid = {batch_size}, .block = {THREADS}});

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

extern "C" __global__ void clear(const float*, const float*, float* output) { output[0] = 0; }

extern "C" __global__ void add_losses(const float* predictions, const float* targets,
                                      float* output) {
  const long long first = static_cast<long long>(blockIdx.x) * COLS;
  float sum = 0;
  for (int i = threadIdx.x; i < COLS; i += THREADS) {
    const float difference = fabsf(predictions[first + i] - targets[first + i]);
    sum += difference < 1 ? 0.5f * difference * difference : difference - 0.5f;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(output, sum / COLS / batch_size);
}
