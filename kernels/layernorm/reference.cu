// Layer normalisation of each row, as it is defined: a thread for a row, three passes.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     const __nv_bfloat16* bias, __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float mean = 0;
  for (int col = 0; col < COLS; ++col) mean += __bfloat162float(x[begin + col]);
  mean /= COLS;
  float variance = 0;
  for (int col = 0; col < COLS; ++col) {
    const float distance = __bfloat162float(x[begin + col]) - mean;
    variance += distance * distance;
  }
  const float scale = 1 / sqrtf(variance / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    const float value = (__bfloat162float(x[begin + col]) - mean) * scale;
    y[begin + col] =
        __float2bfloat16(value * __bfloat162float(weight[col]) + __bfloat162float(bias[col]));
  }
}
