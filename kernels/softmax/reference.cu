// Softmax of each row, as it is defined: a thread for a row, three passes.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const TYPE* x, TYPE* y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float most = static_cast<float>(x[begin]);
  for (int col = 1; col < COLS; ++col) most = fmaxf(most, static_cast<float>(x[begin + col]));
  float sum = 0;
  for (int col = 0; col < COLS; ++col) sum += expf(static_cast<float>(x[begin + col]) - most);
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] = static_cast<TYPE>(expf(static_cast<float>(x[begin + col]) - most) / sum);
  }
}
