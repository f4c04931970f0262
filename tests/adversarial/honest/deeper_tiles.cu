// honest: 64 x 64 tiles, deeper.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = 32;  // of the block: a warp is one row of it
constexpr int HEIGHT = 8;
constexpr int ROWS = 8;  // of C per thread, HEIGHT apart
constexpr int COLS = 2;  // of C per thread, side by side
constexpr int TILE_M = HEIGHT * ROWS;
constexpr int TILE_N = WIDTH * COLS;
constexpr int DEPTH = 64;  // how much of K is held in shared memory at once
constexpr int FOUR = sizeof(float4) / sizeof(float);
constexpr int VECTOR = sizeof(uint4) / sizeof(__nv_bfloat16);
constexpr int HALVES = VECTOR / FOUR;

// How many vectors are one row of a tile, and how many rows a warp loads at once.
constexpr int A_VECTORS = DEPTH / VECTOR;
constexpr int A_ROWS = WIDTH / A_VECTORS;
constexpr int B_VECTORS = TILE_N / VECTOR;
constexpr int B_ROWS = WIDTH / B_VECTORS;
// And all warps together.
constexpr int A_STEP = HEIGHT * A_ROWS;
constexpr int B_STEP = HEIGHT * B_ROWS;
static_assert(TILE_M % A_STEP == 0 && DEPTH % B_STEP == 0, "no thread is left out");

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE_N, M / TILE_M}, .block = {WIDTH, HEIGHT}});

extern "C" __global__ void __launch_bounds__(WIDTH* HEIGHT)
    matmul(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B,
           __nv_bfloat16* __restrict__ C) {
  // The halves of A's vectors lie apart, so that the threads of a warp write side by side.
  __shared__ float4 tile_a[HALVES][TILE_M][A_VECTORS];
  __shared__ uint4 tile_b[DEPTH][B_VECTORS];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;

  // Which vector of each tile this thread loads first.
  const int a_row = y * A_ROWS + x / A_VECTORS;
  const int a_vector = x % A_VECTORS;
  const int b_row = y * B_ROWS + x / B_VECTORS;
  const int b_vector = x % B_VECTORS;

  float sum[ROWS][COLS] = {};
  for (int start = 0; start < K; start += DEPTH) {
#pragma unroll
    for (int row = a_row; row < TILE_M; row += A_STEP) {
      const uint4 from_a =
          *reinterpret_cast<const uint4*>(&A[(first_row + row) * K + start + a_vector * VECTOR]);
      const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&from_a);
#pragma unroll
      for (int half = 0; half < HALVES; ++half) {
        const float2 low = __bfloat1622float2(pairs[2 * half]);
        const float2 high = __bfloat1622float2(pairs[2 * half + 1]);
        tile_a[half][row][a_vector] = {low.x, low.y, high.x, high.y};
      }
    }
#pragma unroll
    for (int k = b_row; k < DEPTH; k += B_STEP) {
      tile_b[k][b_vector] =
          *reinterpret_cast<const uint4*>(&B[(start + k) * N + first_col + b_vector * VECTOR]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k += FOUR) {
      float2 b[FOUR];
#pragma unroll
      for (int i = 0; i < FOUR; ++i) {
        b[i] = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162*>(tile_b[k + i])[x]);
      }
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        const float4 a = tile_a[k / FOUR % HALVES][y + i * HEIGHT][k / VECTOR];
        sum[i][0] += a.x * b[0].x;
        sum[i][1] += a.x * b[0].y;
        sum[i][0] += a.y * b[1].x;
        sum[i][1] += a.y * b[1].y;
        sum[i][0] += a.z * b[2].x;
        sum[i][1] += a.z * b[2].y;
        sum[i][0] += a.w * b[3].x;
        sum[i][1] += a.w * b[3].y;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    __nv_bfloat16* line = &C[(first_row + y + i * HEIGHT) * N + first_col];
    reinterpret_cast<__nv_bfloat162*>(line)[x] = __floats2bfloat162_rn(sum[i][0], sum[i][1]);
  }
}
