// The same in fp64, which the errors of kernels in fp32 are measured from. A product of two bf16 is
// exact in fp32.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {QUERIES, HEADS, BATCH},
                   .block = {THREADS},
                   .shared_bytes = sizeof(double) * KEYS});

extern "C" __global__ void reference(const __nv_bfloat16* q, const __nv_bfloat16* k,
                                     const __nv_bfloat16* v, double* o, float scale) {
  extern __shared__ double scores[];
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
    double product = 0;
#pragma unroll 4
    for (int i = 0; i < DIM; ++i)
      product += __bfloat162float(q[i]) * __bfloat162float(k[key * NEXT + i]);
    scores[key] = product * scale;
  }
  __syncthreads();
  double most = scores[0];
  for (int key = 1; key < seen; ++key) most = fmax(most, scores[key]);
  __syncthreads();
  for (int key = threadIdx.x; key < seen; key += THREADS) scores[key] = exp(scores[key] - most);
  __syncthreads();
  double total = 0;
  for (int key = 0; key < seen; ++key) total += scores[key];
  for (int i = threadIdx.x; i < DIM; i += THREADS) {
    double sum = 0;
    for (int key = 0; key < seen; ++key) sum += scores[key] * __bfloat162float(v[key * NEXT + i]);
    o[i] = sum / total;
  }
}
