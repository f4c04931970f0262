// honest: warp shuffles.
// case: tests/data/row_sums
#include <autokernel.cuh>

constexpr int WARP = 32;
constexpr int ROWS_PER_BLOCK = 8;
static_assert(ROWS % ROWS_PER_BLOCK == 0);

AUTOKERNEL_LAUNCH({.kernel = "row_sums",
                   .grid = {ROWS / ROWS_PER_BLOCK},
                   .block = {WARP, ROWS_PER_BLOCK}});

extern "C" __global__ void row_sums(const float* x, float* sums) {
  const int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += WARP) sum += x[row * COLS + col];
  for (int distance = WARP / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) sums[row] = sum;
}
