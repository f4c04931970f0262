// C = A x B with 64 x 64 tiles in shared memory, filled by 16-byte loads, and a 4 x 4 tile of C in
// each thread's registers.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 64;       // rows and columns of C per block
constexpr int DEPTH = 32;      // how much of K is held in shared memory at once
constexpr int PER_THREAD = 4;  // rows and columns of C per thread
constexpr int SIDE = TILE / PER_THREAD;
constexpr int THREADS = SIDE * SIDE;
constexpr int VECTOR = sizeof(uint4) / sizeof(__nv_bfloat16);

struct Tiles {
  __nv_bfloat16 a[TILE][DEPTH];
  __nv_bfloat16 b[DEPTH][TILE];
};
static_assert(TILE * DEPTH == THREADS * VECTOR, "each thread loads one vector of each tile");

AUTOKERNEL_LAUNCH({.kernel = "matmul",
                   .grid = {N / TILE, M / TILE},
                   .block = {THREADS},
                   .shared_bytes = sizeof(Tiles)});

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B,
           __nv_bfloat16* __restrict__ C) {
  extern __shared__ uint4 shared[];
  Tiles& tiles = *reinterpret_cast<Tiles*>(shared);
  const int thread = threadIdx.x;
  const int first_row = blockIdx.y * TILE;
  const int first_col = blockIdx.x * TILE;
  const int row = thread / SIDE * PER_THREAD;
  const int col = thread % SIDE * PER_THREAD;

  // Which vector of each tile this thread loads.
  const int a_row = thread / (DEPTH / VECTOR);
  const int a_col = thread % (DEPTH / VECTOR) * VECTOR;
  const int b_row = thread / (TILE / VECTOR);
  const int b_col = thread % (TILE / VECTOR) * VECTOR;

  float sum[PER_THREAD][PER_THREAD] = {};
  for (int start = 0; start < K; start += DEPTH) {
    *reinterpret_cast<uint4*>(&tiles.a[a_row][a_col]) =
        *reinterpret_cast<const uint4*>(&A[(first_row + a_row) * K + start + a_col]);
    *reinterpret_cast<uint4*>(&tiles.b[b_row][b_col]) =
        *reinterpret_cast<const uint4*>(&B[(start + b_row) * N + first_col + b_col]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      float a[PER_THREAD];
      float b[PER_THREAD];
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i) a[i] = __bfloat162float(tiles.a[row + i][k]);
#pragma unroll
      for (int j = 0; j < PER_THREAD; ++j) b[j] = __bfloat162float(tiles.b[k][col + j]);
#pragma unroll
      for (int i = 0; i < PER_THREAD; ++i) {
#pragma unroll
        for (int j = 0; j < PER_THREAD; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < PER_THREAD; ++i) {
    __nv_bfloat162 pair[2] = {__floats2bfloat162_rn(sum[i][0], sum[i][1]),
                              __floats2bfloat162_rn(sum[i][2], sum[i][3])};
    *reinterpret_cast<uint2*>(&C[(first_row + row + i) * N + first_col + col]) =
        *reinterpret_cast<const uint2*>(pair);
  }
}
