// Tiles of keys and values through shared memory (FlashAttention-2), shared by the queries and
// heads of a group. Weights are rounded to bf16, as tensor cores take them, and the sums are scaled
// down once for a tile.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int OF_WARP = 2;  // rows, each a query of a head
constexpr int ROWS = WARPS * OF_WARP;
constexpr int TILE = 32;               // keys
constexpr int EACH = (DIM + 31) / 32;  // elements of a row for a lane
constexpr int GROUP = HEADS / KV_HEADS;
constexpr int BLOCKS = (QUERIES * GROUP + ROWS - 1) / ROWS;

AUTOKERNEL_LAUNCH({.kernel = "flash_attention",
                   .grid = {BLOCKS, KV_HEADS, BATCH},
                   .block = {32, WARPS}});

// Rows of a tile, a warp for each.
__device__ void load(const __nv_bfloat16* from, int rows, float (&tile)[TILE][DIM + 1]) {
  for (int row = threadIdx.y; row < rows; row += WARPS) {
    for (int i = threadIdx.x; i < DIM; i += 32)
      tile[row][i] = __bfloat162float(from[static_cast<long long>(row) * KV_HEADS * DIM + i]);
  }
}

extern "C" __global__ void flash_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                           const __nv_bfloat16* v, __nv_bfloat16* o, float scale) {
  __shared__ float queries[ROWS][DIM];
  __shared__ float tile[TILE][DIM + 1];  // of keys, then of values
  __shared__ float weights[ROWS][TILE];
  const int lane = threadIdx.x;
  const int first = blockIdx.x * ROWS;
  const int rows = min(ROWS, QUERIES * GROUP - first);
  const int seen_by_last = min(KEYS, FIRST_SEES + (first + rows - 1) / GROUP);
  k += (static_cast<long long>(blockIdx.z) * KEYS * KV_HEADS + blockIdx.y) * DIM;
  v += (static_cast<long long>(blockIdx.z) * KEYS * KV_HEADS + blockIdx.y) * DIM;
  long long at[OF_WARP];
  int seen[OF_WARP];
  float most[OF_WARP];
  float total[OF_WARP];
  float sums[OF_WARP][EACH] = {};
#pragma unroll
  for (int r = 0; r < OF_WARP; ++r) {
    const int row = threadIdx.y * OF_WARP + r;
    const int query = (first + row) / GROUP;
    at[r] = ((static_cast<long long>(blockIdx.z) * QUERIES + query) * HEADS + blockIdx.y * GROUP +
             (first + row) % GROUP) *
            DIM;
    seen[r] = row < rows ? FIRST_SEES + query : 0;
    most[r] = -CUDART_INF_F;
    total[r] = 0;
    for (int i = lane; i < DIM && row < rows; i += 32)
      queries[row][i] = __bfloat162float(q[at[r] + i]) * (scale * CUDART_L2E_F);
  }
  for (int begin = 0; begin < seen_by_last; begin += TILE) {
    const int keys = min(TILE, seen_by_last - begin);
    const long long offset = static_cast<long long>(begin) * KV_HEADS * DIM;
    __syncthreads();
    load(k + offset, keys, tile);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < OF_WARP; ++r) {
      if (seen[r] <= begin) continue;
      const int row = threadIdx.y * OF_WARP + r;
      float score = -CUDART_INF_F;
      if (lane < keys && begin + lane < seen[r]) {
        score = 0;
#pragma unroll 4
        for (int i = 0; i < DIM; ++i) score = fmaf(queries[row][i], tile[lane][i], score);
      }
      float now = fmaxf(score, most[r]);
      for (int other = 16; other > 0; other /= 2)
        now = fmaxf(now, __shfl_xor_sync(~0u, now, other));
      float weight = exp2f(score - now);
      weights[row][lane] = __bfloat162float(__float2bfloat16(weight));
      for (int other = 16; other > 0; other /= 2) weight += __shfl_xor_sync(~0u, weight, other);
      const float shrink = exp2f(most[r] - now);
      most[r] = now;
      total[r] = total[r] * shrink + weight;
#pragma unroll
      for (int i = 0; i < EACH; ++i) sums[r][i] *= shrink;
    }
    __syncthreads();
    load(v + offset, keys, tile);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < OF_WARP; ++r) {
      const int row = threadIdx.y * OF_WARP + r;
      for (int key = 0; key < min(keys, seen[r] - begin); ++key) {
#pragma unroll
        for (int i = 0; i < EACH; ++i)
          if (i * 32 + lane < DIM)
            sums[r][i] = fmaf(weights[row][key], tile[key][i * 32 + lane], sums[r][i]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < OF_WARP; ++r) {
    const int row = threadIdx.y * OF_WARP + r;
#pragma unroll
    for (int i = 0; i < EACH; ++i)
      if (row < rows && i * 32 + lane < DIM)
        o[at[r] + i * 32 + lane] = __float2bfloat16(sums[r][i] / total[r]);
  }
}
