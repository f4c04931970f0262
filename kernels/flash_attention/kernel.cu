// Attention of each query and head: a warp for both, one pass over the keys, in which the sums so
// far are scaled down whenever a larger score comes (online softmax). A start, and right at every
// size.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int EACH = (DIM + 31) / 32;  // elements of a head for a lane
constexpr int GROUP = HEADS / KV_HEADS;
constexpr long long ROWS = static_cast<long long>(BATCH) * QUERIES * HEADS;

AUTOKERNEL_LAUNCH({.kernel = "flash_attention",
                   .grid = {(ROWS + WARPS - 1) / WARPS},
                   .block = {32, WARPS}});

__device__ float sum_over_warp(float value) {
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
  return value;
}

// Every 32nd element of a head, from the lane's own on, and zeros beyond its end.
__device__ void load(const __nv_bfloat16* head, float (&elements)[EACH]) {
  for (int i = 0; i < EACH; ++i) {
    const int at = i * 32 + threadIdx.x;
    elements[i] = at < DIM ? __bfloat162float(head[at]) : 0.0f;
  }
}

extern "C" __global__ void flash_attention(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                           const __nv_bfloat16* v, __nv_bfloat16* o, float scale) {
  const long long row = static_cast<long long>(blockIdx.x) * WARPS + threadIdx.y;
  if (row >= ROWS) return;
  const int head = row % HEADS;
  const int query = row / HEADS % QUERIES;
  const long long batch = row / HEADS / QUERIES;
  const int seen = min(KEYS, FIRST_SEES + query);
  float mine[EACH];
  load(q + row * DIM, mine);
  float most = -CUDART_INF_F;
  float total = 0;
  float sums[EACH] = {};
  for (int key = 0; key < seen; ++key) {
    const long long at = ((batch * KEYS + key) * KV_HEADS + head / GROUP) * DIM;
    float elements[EACH];
    load(k + at, elements);
    float product = 0;
    for (int i = 0; i < EACH; ++i) product += mine[i] * elements[i];
    const float score = sum_over_warp(product) * scale;
    const float now = fmaxf(most, score);
    const float shrink = __expf(most - now);
    const float weight = __expf(score - now);
    most = now;
    total = total * shrink + weight;
    load(v + at, elements);
    for (int i = 0; i < EACH; ++i) sums[i] = sums[i] * shrink + weight * elements[i];
  }
  for (int i = 0; i < EACH; ++i) {
    const int at = i * 32 + threadIdx.x;
    if (at < DIM) o[row * DIM + at] = __float2bfloat16(sums[i] / total);
  }
}
