// Attention by tiles of 32 keys (FlashAttention), which go through shared memory: a block has 16
// queries of a head, and a warp 4 of them. A lane has a key of the tile, and then every 32nd
// element of the sums, which are scaled down whenever a larger score comes (online softmax). A
// start, and right at every size.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int TILE = 32;
constexpr int WARPS = 4;
// Queries for a warp: no more than there are.
constexpr int ROWS = QUERIES < 4 * WARPS ? (QUERIES + WARPS - 1) / WARPS : 4;
constexpr int OF_BLOCK = WARPS * ROWS;
constexpr int EACH = (DIM + 31) / 32;  // elements of a head for a lane
constexpr int GROUP = HEADS / KV_HEADS;
constexpr long long NEXT = static_cast<long long>(KV_HEADS) * DIM;  // from one key to the next

AUTOKERNEL_LAUNCH({.kernel = "flash_attention",
                   .grid = {(QUERIES + OF_BLOCK - 1) / OF_BLOCK, HEADS, BATCH},
                   .block = {32, WARPS}});

__device__ float max_over_warp(float value) {
  for (int lane = 16; lane > 0; lane /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, lane));
  return value;
}
__device__ float sum_over_warp(float value) {
#pragma unroll 1
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
  return value;
}

// A tile of keys or values, and zeros beyond its end.
__device__ void load(const __nv_bfloat16* from, int rows, float (&tile)[TILE][32 * EACH + 1]) {
#pragma unroll 2
  for (int row = threadIdx.y; row < TILE; row += WARPS) {
    for (int i = 0; i < EACH; ++i) {
      const int at = i * 32 + threadIdx.x;
      tile[row][at] = row < rows && at < DIM ? __bfloat162float(from[row * NEXT + at]) : 0.0f;
    }
  }
}

extern "C" __global__ void flash_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                           const __nv_bfloat16* v, __nv_bfloat16* o, float scale) {
  __shared__ alignas(16) float queries[DIM][OF_BLOCK + 4];
  __shared__ alignas(16) float weights[TILE][OF_BLOCK + 4];
  __shared__ float tile[TILE][32 * EACH + 1];
  const int lane = threadIdx.x;
  const int own = threadIdx.y * ROWS;  // the first query of the warp, in the block
  const int head = blockIdx.y;
  const long long batch = blockIdx.z;
  const int first = blockIdx.x * OF_BLOCK;
  const int seen_by_last = min(KEYS, FIRST_SEES + min(QUERIES, first + OF_BLOCK) - 1);
  q += (batch * QUERIES * HEADS + head) * DIM;
  o += (batch * QUERIES * HEADS + head) * DIM;
  k += (batch * KEYS * KV_HEADS + head / GROUP) * DIM;
  v += (batch * KEYS * KV_HEADS + head / GROUP) * DIM;
#pragma unroll 1
  for (int row = own; row < own + ROWS; ++row) {
    const long long query = first + row;
    for (int i = lane; i < DIM; i += 32)
      queries[i][row] = query < QUERIES ? __bfloat162float(q[query * HEADS * DIM + i]) : 0.0f;
  }
  float most[ROWS];
  float total[ROWS] = {};  // of the lane's keys
  float sums[ROWS][EACH] = {};
  for (int r = 0; r < ROWS; ++r) most[r] = -CUDART_INF_F;
#pragma unroll 1
  for (int begin = 0; begin < seen_by_last; begin += TILE) {
    const int keys = min(TILE, seen_by_last - begin);
    load(k + begin * NEXT, keys, tile);
    __syncthreads();
    float scores[ROWS] = {};
#pragma unroll 2
    for (int i = 0; i < DIM; ++i)
      for (int r = 0; r < ROWS; ++r) scores[r] += queries[i][own + r] * tile[lane][i];
    for (int r = 0; r < ROWS; ++r) {
      const int query = first + own + r;
      const int seen = min(KEYS, FIRST_SEES + query);
      const float score = begin + lane < seen ? scores[r] * scale : -CUDART_INF_F;
      const float now = fmaxf(most[r], max_over_warp(score));
      const float shrink = __expf(most[r] - now);
      const float weight = __expf(score - now);
      most[r] = now;
      total[r] = total[r] * shrink + weight;
      for (int i = 0; i < EACH; ++i) sums[r][i] *= shrink;
      weights[lane][own + r] = weight;
    }
    __syncthreads();
    load(v + begin * NEXT, keys, tile);
    __syncthreads();
#pragma unroll 1
    for (int key = 0; key < TILE; ++key) {
      for (int i = 0; i < EACH; ++i) {
        const float value = tile[key][i * 32 + lane];
        for (int r = 0; r < ROWS; ++r) sums[r][i] += weights[key][own + r] * value;
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r) {
    const long long query = first + own + r;
    const float all = sum_over_warp(total[r]);
    for (int i = 0; i < EACH; ++i) {
      const int at = i * 32 + lane;
      if (query < QUERIES && at < DIM)
        o[query * HEADS * DIM + at] = __float2bfloat16(sums[r][i] / all);
    }
  }
}
