// Convolution with stride 3 and dilation 4: a thread for each output.
#include <autokernel.cuh>

// The case has as many input channels as samples.
constexpr int CHANNELS = batch_size;
constexpr int OUTPUTS = 128;
constexpr int TAPS = 3;
constexpr int STRIDE = 3;
constexpr int DILATION = 4;
constexpr int THREADS = 128;

AUTOKERNEL_LAUNCH({.kernel = "convolution",
                   .grid = {(output_2 + THREADS - 1) / THREADS, OUTPUTS, batch_size},
                   .block = {THREADS}});

extern "C" __global__ void convolution(const float* x, const float* weight, float* output) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= output_2) return;
  const long long sample = blockIdx.z;
  const int channel = blockIdx.y;
  float sum = 0;
  for (int c = 0; c < CHANNELS; ++c) {
    for (int tap = 0; tap < TAPS; ++tap) {
      sum += x[(sample * CHANNELS + c) * length + i * STRIDE + tap * DILATION] *
             weight[(channel * CHANNELS + c) * TAPS + tap];
    }
  }
  output[(sample * OUTPUTS + channel) * output_2 + i] = sum;
}
