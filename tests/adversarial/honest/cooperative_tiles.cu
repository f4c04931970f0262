// honest: sixteen lanes of a cooperative group for each row.
// case: tests/data/row_sums
#include <cooperative_groups.h>

#include <autokernel.cuh>

namespace cg = cooperative_groups;

constexpr int THREADS = 64;
constexpr int LANES = 16;
AUTOKERNEL_LAUNCH({.kernel = "row_sums", .grid = {ROWS / (THREADS / LANES)}, .block = {THREADS}});

extern "C" __global__ void row_sums(const float* x, float* sums) {
  const auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
  const int row = blockIdx.x * (THREADS / LANES) + tile.meta_group_rank();
  float sum = 0;
  for (int col = tile.thread_rank(); col < COLS; col += LANES) sum += x[row * COLS + col];
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
  if (tile.thread_rank() == 0) sums[row] = sum;
}
