// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const TYPE* x, const TYPE* weight, const TYPE* bias, double* y,
                                     float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  double mean = 0;
  for (int col = 0; col < COLS; ++col) mean += static_cast<float>(x[begin + col]);
  mean /= COLS;
  double variance = 0;
  for (int col = 0; col < COLS; ++col) {
    const double distance = static_cast<float>(x[begin + col]) - mean;
    variance += distance * distance;
  }
  const double scale = 1 / sqrt(variance / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    const double value = (static_cast<float>(x[begin + col]) - mean) * scale;
    y[begin + col] = value * static_cast<float>(weight[col]) + static_cast<float>(bias[col]);
  }
}
