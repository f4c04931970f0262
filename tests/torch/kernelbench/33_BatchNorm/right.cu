// Each channel is normalized by its own mean and variance: a block for a channel.
#include <autokernel.cuh>

// The case has as many channels as samples.
constexpr int CHANNELS = batch_size;
constexpr int PIXELS = dim1 * 512;
constexpr int COUNT = batch_size * PIXELS;
constexpr int THREADS = 512;
constexpr float EPSILON = 1e-5f;

AUTOKERNEL_LAUNCH({.kernel = "batch_norm", .grid = {CHANNELS}, .block = {THREADS}});

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

extern "C" __global__ void batch_norm(const float* x, const float* weight, const float* bias,
                                      float* output) {
  const int channel = blockIdx.x;
  // Where element i of this channel is.
  const auto at = [&](int i) {
    return (static_cast<long long>(i / PIXELS) * CHANNELS + channel) * PIXELS + i % PIXELS;
  };
  float sum = 0;
  for (int i = threadIdx.x; i < COUNT; i += THREADS) sum += x[at(i)];
  const float mean = block_sum(sum) / COUNT;
  float squares = 0;
  for (int i = threadIdx.x; i < COUNT; i += THREADS) {
    squares += (x[at(i)] - mean) * (x[at(i)] - mean);
  }
  const float variance = block_sum(squares) / COUNT;
  const float scale = weight[channel] / sqrtf(variance + EPSILON);
  for (int i = threadIdx.x; i < COUNT; i += THREADS) {
    output[at(i)] = (x[at(i)] - mean) * scale + bias[channel];
  }
}
