// The sum of each row in fp32, one thread for each: plain, slow, right.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, float* sums) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  float sum = 0;
  for (int col = 0; col < COLS; ++col) sum += x[row * COLS + col];
  sums[row] = sum;
}
