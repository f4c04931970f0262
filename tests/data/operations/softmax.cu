// Softmax in two passes, the maximum and the sum in one of them (online): a warp for a row, by shuffles.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

extern "C" __global__ void softmax(const __nv_bfloat16* x, __nv_bfloat16* y) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  x += static_cast<long long>(row) * COLS;
  y += static_cast<long long>(row) * COLS;
  float most = -CUDART_INF_F;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = __bfloat162float(x[col]);
    const float now = fmaxf(most, value);
    sum = sum * exp2f((most - now) * CUDART_L2E_F) + exp2f((value - now) * CUDART_L2E_F);
    most = now;
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    const float other_most = __shfl_xor_sync(~0u, most, lane);
    const float other_sum = __shfl_xor_sync(~0u, sum, lane);
    const float now = fmaxf(most, other_most);
    // Lanes beyond a short row have seen nothing: their sum is zero, whatever it is multiplied by.
    const float mine = most == now ? 1.0f : exp2f((most - now) * CUDART_L2E_F);
    const float other = other_most == now ? 1.0f : exp2f((other_most - now) * CUDART_L2E_F);
    sum = sum * mine + other_sum * other;
    most = now;
  }
  const float scale = 1 / sum;
  for (int col = threadIdx.x; col < COLS; col += 32) {
    y[col] = __float2bfloat16(exp2f((__bfloat162float(x[col]) - most) * CUDART_L2E_F) * scale);
  }
}
