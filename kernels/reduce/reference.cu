// The sum of each column: a thread for a column, and sums of 4096 rows, one row after the other. A
// single sum of a million rows in fp32 would be further off than any kernel.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(COLS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, float* sums) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= COLS) return;
  constexpr long long BLOCK = 4096;
  float sum = 0;
  for (long long first = 0; first < ROWS; first += BLOCK) {
    float part = 0;
    for (long long row = first; row < ROWS && row < first + BLOCK; ++row)
      part += x[row * COLS + col];
    sum += part;
  }
  sums[col] = sum;
}
