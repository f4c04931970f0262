// The sum of each row in fp64, which the errors of sums in fp32 are measured from.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const float* x, double* sums) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  double sum = 0;
  for (int col = 0; col < COLS; ++col) sum += x[row * COLS + col];
  sums[row] = sum;
}
