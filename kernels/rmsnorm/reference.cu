// The root mean square norm of each row, as it is defined: a thread for a row, two passes.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const TYPE* x, const TYPE* weight, TYPE* y, float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float sum = 0;
  for (int col = 0; col < COLS; ++col) {
    const float value = static_cast<float>(x[begin + col]);
    sum += value * value;
  }
  const float scale = 1 / sqrtf(sum / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] = static_cast<TYPE>(static_cast<float>(x[begin + col]) * scale *
                                       static_cast<float>(weight[col]));
  }
}
