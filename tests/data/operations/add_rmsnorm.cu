// A warp for a row. The norm is that of the sum as it was before it was rounded, as some libraries have it.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;

AUTOKERNEL_LAUNCH({.kernel = "add_rmsnorm", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

extern "C" __global__ void add_rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* residual, const __nv_bfloat16* weight,
                                       __nv_bfloat16* h, __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = __bfloat162float(x[begin + col]) + __bfloat162float(residual[begin + col]);
    h[begin + col] = __float2bfloat16(value);
    squares = fmaf(value, value, squares);
  }
  for (int lane = 16; lane > 0; lane /= 2) squares += __shfl_xor_sync(~0u, squares, lane);
  const float scale = rsqrtf(squares / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = __bfloat162float(h[begin + col]);
    y[begin + col] = __float2bfloat16(value * (scale * __bfloat162float(weight[col])));
  }
}
