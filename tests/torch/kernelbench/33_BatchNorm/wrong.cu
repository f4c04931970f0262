// Mistake: the running mean and variance are used (0 and 1), not those of the batch.
#include <autokernel.cuh>

// The case has as many channels as samples.
constexpr int CHANNELS = batch_size;
constexpr int PIXELS = dim1 * 512;
constexpr int COUNT = batch_size * PIXELS;
constexpr int THREADS = 512;
constexpr float EPSILON = 1e-5f;

AUTOKERNEL_LAUNCH({.kernel = "batch_norm", .grid = {CHANNELS}, .block = {THREADS}});

extern "C" __global__ void batch_norm(const float* x, const float* weight, const float* bias,
                                      float* output) {
  const int channel = blockIdx.x;
  // Where element i of this channel is.
  const auto at = [&](int i) {
    return (static_cast<long long>(i / PIXELS) * CHANNELS + channel) * PIXELS + i % PIXELS;
  };
  const float mean = 0;
  const float variance = 1;
  const float scale = weight[channel] / sqrtf(variance + EPSILON);
  for (int i = threadIdx.x; i < COUNT; i += THREADS) {
    output[at(i)] = (x[at(i)] - mean) * scale + bias[channel];
  }
}
