// The loss of each row, as it is defined, with the fast exponential and logarithm that kernels use:
// a thread for a row.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const int* target, float* loss) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float most = __bfloat162float(x[begin]);
  for (int col = 1; col < COLS; ++col) most = fmaxf(most, __bfloat162float(x[begin + col]));
  float sum = 0;
  for (int col = 0; col < COLS; ++col) sum += __expf(__bfloat162float(x[begin + col]) - most);
  loss[row] = __logf(sum) + (most - __bfloat162float(x[begin + target[row]]));
}
