// One pass over the logits (online), a warp for a row; natural logarithms by way of base 2.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int WARPS = 8;

AUTOKERNEL_LAUNCH({.kernel = "cross_entropy", .grid = {(ROWS + WARPS - 1) / WARPS}, .block = {32, WARPS}});

extern "C" __global__ void cross_entropy(const __nv_bfloat16* x, const int* target, float* loss) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  x += static_cast<long long>(row) * COLS;
  float most = -CUDART_INF_F;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) {
    const float value = __bfloat162float(x[col]) * CUDART_L2E_F;
    if (value > most) {
      sum *= exp2f(most - value);
      most = value;
    }
    sum += exp2f(value - most);
  }
  float all = most;
  for (int lane = 16; lane > 0; lane /= 2) all = fmaxf(all, __shfl_xor_sync(~0u, all, lane));
  sum = most == all ? sum : sum * exp2f(most - all);
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
  if (threadIdx.x == 0) loss[row] = (log2f(sum) + (all - __bfloat162float(x[target[row]]) * CUDART_L2E_F)) * CUDART_LN2_F;
}
