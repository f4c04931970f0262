// Attention as it is defined, in two passes over the keys: the first finds the largest score of
// each query, the second adds up exp(score - largest) and what it weighs. A block has 16 queries of
// a head, a warp 4 of them. A lane scores one of 32 keys, and sums every 32nd element of a head.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int TILE = 32;
constexpr int WARPS = 4;
// Queries for a warp: no more than there are.
constexpr int ROWS = QUERIES < 4 * WARPS ? (QUERIES + WARPS - 1) / WARPS : 4;
constexpr int OF_BLOCK = WARPS * ROWS;
constexpr int EACH = (DIM + 31) / 32;  // elements of a head for a lane
static_assert(HEADS % KV_HEADS == 0 && FIRST_SEES <= KEYS);

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(QUERIES + OF_BLOCK - 1) / OF_BLOCK, HEADS, BATCH},
                   .block = {32, WARPS}});

// The keys or the values from `first` on, and zeros beyond the last.
__device__ void load(const __nv_bfloat16* from, int first, float (&tile)[TILE][32 * EACH + 1]) {
#pragma unroll 2
  for (int row = threadIdx.y; row < TILE; row += WARPS) {
    const long long at = static_cast<long long>(first + row) * KV_HEADS * DIM;
    for (int part = 0; part < EACH; ++part) {
      const int i = part * 32 + threadIdx.x;
      tile[row][i] = first + row < KEYS && i < DIM ? __bfloat162float(from[at + i]) : 0.0f;
    }
  }
}

extern "C" __global__ void reference(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                     const __nv_bfloat16* v, __nv_bfloat16* o, float scale) {
  __shared__ alignas(16) float queries[DIM][OF_BLOCK + 4];
  __shared__ alignas(16) float weights[TILE][OF_BLOCK + 4];
  __shared__ float tile[TILE][32 * EACH + 1];
  const int lane = threadIdx.x;
  const int row = threadIdx.y * ROWS;  // the first of the warp, in the block
  const int query = blockIdx.x * OF_BLOCK + row;
  const int head = blockIdx.y;
  const long long batch = blockIdx.z;
  q += ((batch * QUERIES + query) * HEADS + head) * DIM;
  o += ((batch * QUERIES + query) * HEADS + head) * DIM;
  k += (batch * KEYS * KV_HEADS + head / (HEADS / KV_HEADS)) * DIM;
  v += (batch * KEYS * KV_HEADS + head / (HEADS / KV_HEADS)) * DIM;
#pragma unroll 1
  for (int r = 0; r < ROWS; ++r) {
    for (int i = lane; i < DIM; i += 32)
      queries[i][row + r] = query + r < QUERIES ? __bfloat162float(q[r * HEADS * DIM + i]) : 0.0f;
  }
  // What the last query of the block sees, and no other sees more.
  const int seen_by_last = min(KEYS, FIRST_SEES + static_cast<int>(blockIdx.x + 1) * OF_BLOCK - 1);
  float most[ROWS];
  float total[ROWS] = {};
  float sums[ROWS][EACH] = {};
  for (int r = 0; r < ROWS; ++r) most[r] = -CUDART_INF_F;
#pragma unroll 1
  for (int pass = 1; pass <= 2; ++pass) {
#pragma unroll 1
    for (int first = 0; first < seen_by_last; first += TILE) {
      load(k, first, tile);
      __syncthreads();
      float scores[ROWS] = {};
#pragma unroll 2
      for (int i = 0; i < DIM; ++i)
        for (int r = 0; r < ROWS; ++r) scores[r] += queries[i][row + r] * tile[lane][i];
      for (int r = 0; r < ROWS; ++r) {
        const bool is_seen = first + lane < min(KEYS, FIRST_SEES + query + r);
        const float score = is_seen ? scores[r] * scale : -CUDART_INF_F;
        if (pass == 1) most[r] = fmaxf(most[r], score);  // of the lane's keys
        if (pass == 2) weights[lane][row + r] = expf(score - most[r]);
      }
      __syncthreads();
      if (pass == 1) continue;
      load(v, first, tile);
      __syncthreads();
#pragma unroll 1
      for (int key = 0; key < TILE; ++key) {
        for (int r = 0; r < ROWS; ++r) {
          const float weight = weights[key][row + r];
          total[r] += weight;
          for (int i = 0; i < EACH; ++i) sums[r][i] += weight * tile[key][i * 32 + lane];
        }
      }
      __syncthreads();
    }
    for (int r = 0; r < ROWS; ++r) {
      for (int other = 16; other > 0; other /= 2)
        most[r] = fmaxf(most[r], __shfl_xor_sync(~0u, most[r], other));
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    for (int i = 0; i < EACH; ++i) {
      const int at = i * 32 + lane;
      if (query + r < QUERIES && at < DIM)
        o[r * HEADS * DIM + at] = __float2bfloat16(sums[r][i] / total[r]);
    }
  }
}
