// A warp for a row; mean and variance in one pass (Welford), joined by shuffles (Chan, Golub and LeVeque).
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;

AUTOKERNEL_LAUNCH({.kernel = "layernorm", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

extern "C" __global__ void layernorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                                     __nv_bfloat16* y, float epsilon) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  x += static_cast<long long>(row) * COLS;
  y += static_cast<long long>(row) * COLS;
  float count = 0;
  float mean = 0;
  float squares = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = __bfloat162float(x[col]);
    count += 1;
    const float distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    const float other_count = __shfl_xor_sync(~0u, count, lane);
    const float other_mean = __shfl_xor_sync(~0u, mean, lane);
    const float other_squares = __shfl_xor_sync(~0u, squares, lane);
    const float all = count + other_count;
    if (all == 0) continue;
    const float distance = other_mean - mean;
    mean = (count * mean + other_count * other_mean) / all;
    squares += other_squares + distance * distance * count * other_count / all;
    count = all;
  }
  const float scale = rsqrtf(squares / COLS + epsilon);
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = (__bfloat162float(x[col]) - mean) * scale;
    y[col] = __float2bfloat16(fmaf(value, __bfloat162float(weight[col]), __bfloat162float(bias[col])));
  }
}
