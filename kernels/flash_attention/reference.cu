// Attention as it is defined: a block for a query of a head, with the scores of all keys in shared
// memory.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;
static_assert(HEADS % KV_HEADS == 0 && FIRST_SEES <= KEYS);

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {QUERIES, HEADS, BATCH},
                   .block = {THREADS},
                   .shared_bytes = sizeof(float) * KEYS});

extern "C" __global__ void reference(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                     const __nv_bfloat16* v, __nv_bfloat16* o, float scale) {
  extern __shared__ float scores[];
  const int query = blockIdx.x;
  const int head = blockIdx.y;
  const long long batch = blockIdx.z;
  q += ((batch * QUERIES + query) * HEADS + head) * DIM;
  o += ((batch * QUERIES + query) * HEADS + head) * DIM;
  k += (batch * KEYS * KV_HEADS + head / (HEADS / KV_HEADS)) * DIM;
  v += (batch * KEYS * KV_HEADS + head / (HEADS / KV_HEADS)) * DIM;
  constexpr long long NEXT = static_cast<long long>(KV_HEADS) * DIM;  // from one key to the next
  const int seen = min(KEYS, FIRST_SEES + query);
  for (int key = threadIdx.x; key < seen; key += THREADS) {
    float product = 0;
#pragma unroll 4
    for (int i = 0; i < DIM; ++i)
      product += __bfloat162float(q[i]) * __bfloat162float(k[key * NEXT + i]);
    scores[key] = product * scale;
  }
  __syncthreads();
  float most = scores[0];
  for (int key = 1; key < seen; ++key) most = fmaxf(most, scores[key]);
  __syncthreads();
  for (int key = threadIdx.x; key < seen; key += THREADS) scores[key] = expf(scores[key] - most);
  __syncthreads();
  float total = 0;
  for (int key = 0; key < seen; ++key) total += scores[key];
  for (int i = threadIdx.x; i < DIM; i += THREADS) {
    float sum = 0;
    for (int key = 0; key < seen; ++key) sum += scores[key] * __bfloat162float(v[key * NEXT + i]);
    o[i] = __float2bfloat16(sum / total);
  }
}
