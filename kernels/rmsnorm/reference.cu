// The root mean square norm of each row, as it is defined: a thread for a row, two passes.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float sum = 0;
  for (int col = 0; col < COLS; ++col) {
    const float value = __bfloat162float(x[begin + col]);
    sum += value * value;
  }
  const float scale = 1 / sqrtf(sum / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] =
        __float2bfloat16(__bfloat162float(x[begin + col]) * scale * __bfloat162float(weight[col]));
  }
}
