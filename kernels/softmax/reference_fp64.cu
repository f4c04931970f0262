// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const TYPE* x, double* y) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float most = static_cast<float>(x[begin]);
  for (int col = 1; col < COLS; ++col) most = fmaxf(most, static_cast<float>(x[begin + col]));
  double sum = 0;
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] = exp(static_cast<double>(static_cast<float>(x[begin + col])) - most);
    sum += y[begin + col];
  }
  for (int col = 0; col < COLS; ++col) y[begin + col] /= sum;
}
