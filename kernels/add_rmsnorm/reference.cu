// The sum, then the norm of what of it was stored: a thread for a row, two passes.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* residual,
                                     const __nv_bfloat16* weight, __nv_bfloat16* h,
                                     __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float squares = 0;
  for (long long i = begin; i < begin + COLS; ++i) {
    h[i] = __float2bfloat16(__bfloat162float(x[i]) + __bfloat162float(residual[i]));
    squares += __bfloat162float(h[i]) * __bfloat162float(h[i]);
  }
  const float scale = 1 / sqrtf(squares / COLS + epsilon);
  for (int col = 0; col < COLS; ++col) {
    y[begin + col] =
        __float2bfloat16(__bfloat162float(h[begin + col]) * scale * __bfloat162float(weight[col]));
  }
}
