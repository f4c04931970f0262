// Tiles of 16 tokens in one list over all experts: a block looks up whose its own is. Threads sum 4
// tokens each in registers.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int OF_THREAD = 4;
constexpr int WARPS = 4;
constexpr int ROWS = WARPS * OF_THREAD;  // tokens of a tile
constexpr int COLS = 32;
constexpr int DEPTH = 32;
constexpr int TILES = TOKENS / ROWS + (TOKENS < EXPERTS ? TOKENS : EXPERTS);  // no list is longer

AUTOKERNEL_LAUNCH({.kernel = "moe_gemm",
                   .grid = {TILES, (INTER + COLS - 1) / COLS},
                   .block = {32, WARPS}});

extern "C" __global__ void moe_gemm(const __nv_bfloat16* __restrict__ x,
                                    const __nv_bfloat16* __restrict__ w,
                                    const int* __restrict__ offsets,
                                    __nv_bfloat16* __restrict__ y) {
  __shared__ __nv_bfloat16 of_x[ROWS][DEPTH];
  __shared__ __nv_bfloat16 of_w[COLS][DEPTH + 2];
  int expert = 0;
  int tile = blockIdx.x;
  for (; expert < EXPERTS; ++expert) {
    const int tiles = (__ldg(offsets + expert + 1) - __ldg(offsets + expert) + ROWS - 1) / ROWS;
    if (tile < tiles) break;
    tile -= tiles;
  }
  if (expert == EXPERTS) return;
  const int first = offsets[expert] + tile * ROWS;
  const int rows = min(ROWS, offsets[expert + 1] - first);
  const int left = blockIdx.y * COLS;
  const int cols = min(COLS, INTER - left);
  x += static_cast<long long>(first) * HIDDEN;
  w += (static_cast<long long>(expert) * INTER + left) * HIDDEN;
  float sums[OF_THREAD] = {};
  for (int begin = 0; begin < HIDDEN; begin += DEPTH) {
    const int i = begin + threadIdx.x;
    for (int row = threadIdx.y; row < ROWS; row += WARPS)
      of_x[row][threadIdx.x] = row < rows && i < HIDDEN
                                   ? x[static_cast<long long>(row) * HIDDEN + i]
                                   : __nv_bfloat16(0.0f);
    for (int col = threadIdx.y; col < COLS; col += WARPS)
      of_w[col][threadIdx.x] = col < cols && i < HIDDEN
                                   ? w[static_cast<long long>(col) * HIDDEN + i]
                                   : __nv_bfloat16(0.0f);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < DEPTH; ++j) {
      const float weight = __bfloat162float(of_w[threadIdx.x][j]);
#pragma unroll
      for (int r = 0; r < OF_THREAD; ++r)
        sums[r] = fmaf(__bfloat162float(of_x[threadIdx.y * OF_THREAD + r][j]), weight, sums[r]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < OF_THREAD; ++r) {
    const int row = threadIdx.y * OF_THREAD + r;
    if (row < rows && threadIdx.x < cols)
      y[static_cast<long long>(first + row) * INTER + left + threadIdx.x] =
          __float2bfloat16(sums[r]);
  }
}
