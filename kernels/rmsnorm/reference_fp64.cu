// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight, double* y,
                                     float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  double sum = 0;
  for (int col = 0; col < COLS; ++col) {
    const double value = __bfloat162float(x[begin + col]);
    sum += value * value;
  }
  const double scale = 1 / sqrt(sum / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] = __bfloat162float(x[begin + col]) * scale * __bfloat162float(weight[col]);
  }
}
