// A warp for a row, by shuffles; values are read once and kept in registers where the row is short.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int EACH = (COLS + 31) / 32;
constexpr int KEPT = EACH <= 64 ? EACH : 1;

AUTOKERNEL_LAUNCH({.kernel = "rmsnorm", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  x += static_cast<long long>(row) * COLS;
  y += static_cast<long long>(row) * COLS;
  float kept[KEPT];
  float squares = 0;
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int col = i * 32 + threadIdx.x;
    const float value = col < COLS ? __bfloat162float(x[col]) : 0.0f;
    if (KEPT == EACH) kept[i % KEPT] = value;
    squares = fmaf(value, value, squares);
  }
  for (int lane = 16; lane > 0; lane /= 2) squares += __shfl_xor_sync(~0u, squares, lane);
  const float scale = rsqrtf(squares * (1.0f / COLS) + epsilon);
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const int col = i * 32 + threadIdx.x;
    if (col >= COLS) continue;
    const float value = KEPT == EACH ? kept[i % KEPT] : __bfloat162float(x[col]);
    y[col] = __float2bfloat16(value * (scale * __bfloat162float(weight[col])));
  }
}
