// One thread for each row, in the order of its columns.
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {ROWS}, .block = {1}});

extern "C" __global__ void softmax(const float* x, float* y) {
  const float* from = x + blockIdx.x * COLS;
  float* to = y + blockIdx.x * COLS;
  float largest = from[0];
  for (int col = 1; col < COLS; ++col) largest = fmaxf(largest, from[col]);
  double sum = 0;
  for (int col = 0; col < COLS; ++col) sum += exp(static_cast<double>(from[col]) - largest);
  for (int col = 0; col < COLS; ++col) {
    to[col] = static_cast<float>(exp(static_cast<double>(from[col]) - largest) / sum);
  }
}
