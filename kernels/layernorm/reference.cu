// Layer normalisation of each row, as it is defined: a thread for a row, three passes.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const TYPE* x, const TYPE* weight, const TYPE* bias, TYPE* y,
                                     float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float mean = 0;
  for (int col = 0; col < COLS; ++col) mean += static_cast<float>(x[begin + col]);
  mean /= COLS;
  float variance = 0;
  for (int col = 0; col < COLS; ++col) {
    const float distance = static_cast<float>(x[begin + col]) - mean;
    variance += distance * distance;
  }
  const float scale = 1 / sqrtf(variance / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    const float value = (static_cast<float>(x[begin + col]) - mean) * scale;
    y[begin + col] =
        static_cast<TYPE>(value * static_cast<float>(weight[col]) + static_cast<float>(bias[col]));
  }
}
