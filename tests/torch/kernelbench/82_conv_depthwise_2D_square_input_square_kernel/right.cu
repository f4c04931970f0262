// Each channel has its own filter of 3 x 3: a thread for each output.
#include <autokernel.cuh>

constexpr int CHANNELS = 64;
constexpr int WIDTH = 512;
constexpr int OUTPUT_WIDTH = 510;
constexpr int TAPS = 3;
constexpr int THREADS = 128;

AUTOKERNEL_LAUNCH({.kernel = "depthwise",
                   .grid = {(OUTPUT_WIDTH + THREADS - 1) / THREADS, output_2, batch_size* CHANNELS},
                   .block = {THREADS}});

extern "C" __global__ void depthwise(const float* x, const float* weight, float* output) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  const int row = blockIdx.y;
  if (col >= OUTPUT_WIDTH) return;
  x += static_cast<long long>(blockIdx.z) * height * WIDTH;
  weight += blockIdx.z % CHANNELS * TAPS * TAPS;
  float sum = 0;
  for (int i = 0; i < TAPS; ++i) {
    for (int j = 0; j < TAPS; ++j) {
      sum += x[(row + i) * WIDTH + col + j] * weight[i * TAPS + j];
    }
  }
  output[(static_cast<long long>(blockIdx.z) * output_2 + row) * OUTPUT_WIDTH + col] = sum;
}
