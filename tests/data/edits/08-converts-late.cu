// C = A x B with 64 x 64 elements of C per block and 8 x 2 of them in each thread's registers.
// A's tile stays bf16 in shared memory, as B's does, and is converted when it is multiplied: half
// as much to write, and eight values along K in one read.
//
// Right, but slower: each value of A is converted by all the threads of a warp, and not by one.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = 32;  // of the block: a warp is one row of it
constexpr int HEIGHT = 8;
constexpr int ROWS = 8;  // of C per thread, HEIGHT apart
constexpr int COLS = 2;  // of C per thread, side by side
constexpr int TILE_M = HEIGHT * ROWS;
constexpr int TILE_N = WIDTH * COLS;
constexpr int DEPTH = 32;  // how much of K is held in shared memory at once
constexpr int VECTOR = sizeof(uint4) / sizeof(__nv_bfloat16);

// How many vectors are one row of a tile, and how many rows a warp loads at once.
constexpr int A_VECTORS = DEPTH / VECTOR;
constexpr int A_ROWS = WIDTH / A_VECTORS;
constexpr int B_VECTORS = TILE_N / VECTOR;
constexpr int B_ROWS = WIDTH / B_VECTORS;
static_assert(TILE_M == HEIGHT * A_ROWS && DEPTH == HEIGHT * B_ROWS,
              "each thread loads one vector of each tile");

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / TILE_N, M / TILE_M}, .block = {WIDTH, HEIGHT}});

extern "C" __global__ void __launch_bounds__(WIDTH* HEIGHT)
    matmul(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B,
           __nv_bfloat16* __restrict__ C) {
  __shared__ uint4 tile_a[TILE_M][A_VECTORS];
  __shared__ uint4 tile_b[DEPTH][B_VECTORS];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;

  // Which vector of each tile this thread loads.
  const int a_row = y * A_ROWS + x / A_VECTORS;
  const int a_vector = x % A_VECTORS;
  const int b_row = y * B_ROWS + x / B_VECTORS;
  const int b_vector = x % B_VECTORS;

  float sum[ROWS][COLS] = {};
  for (int start = 0; start < K; start += DEPTH) {
    tile_a[a_row][a_vector] =
        *reinterpret_cast<const uint4*>(&A[(first_row + a_row) * K + start + a_vector * VECTOR]);
    tile_b[b_row][b_vector] =
        *reinterpret_cast<const uint4*>(&B[(start + b_row) * N + first_col + b_vector * VECTOR]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k += VECTOR) {
      float2 b[VECTOR];
#pragma unroll
      for (int i = 0; i < VECTOR; ++i) {
        b[i] = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162*>(tile_b[k + i])[x]);
      }
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        const uint4 eight = tile_a[y + i * HEIGHT][k / VECTOR];
        const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&eight);
#pragma unroll
        for (int pair = 0; pair < VECTOR / 2; ++pair) {
          const float2 a = __bfloat1622float2(pairs[pair]);
          sum[i][0] += a.x * b[2 * pair].x;
          sum[i][1] += a.x * b[2 * pair].y;
          sum[i][0] += a.y * b[2 * pair + 1].x;
          sum[i][1] += a.y * b[2 * pair + 1].y;
        }
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
