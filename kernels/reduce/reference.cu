// The sum of each column, one row after the other: a thread for a column.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(COLS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, float* sums) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= COLS) return;
  float sum = 0;
  for (long long row = 0; row < ROWS; ++row) sum += x[row * COLS + col];
  sums[col] = sum;
}
