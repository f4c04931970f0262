// A thread for a pair of all heads of a token, whose angle it reads once; products joined by fma.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "rotary_embedding", .grid = {(HALF + THREADS - 1) / THREADS, TOKENS}, .block = {THREADS}});

extern "C" __global__ void rotary_embedding(const __nv_bfloat16* x, const int* positions, const float* cosines,
                                            const float* sines, __nv_bfloat16* y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= HALF) return;
  const long long angle = static_cast<long long>(positions[blockIdx.y]) * HALF + i;
  const float cosine = cosines[angle];
  const float sine = sines[angle];
#pragma unroll 4
  for (int head = 0; head < HEADS; ++head) {
    const long long at = (static_cast<long long>(blockIdx.y) * HEADS + head) * 2 * HALF + i;
    const float first = __bfloat162float(x[at]);
    const float second = __bfloat162float(x[at + HALF]);
    y[at] = __float2bfloat16_rn(fmaf(first, cosine, -(second * sine)));
    y[at + HALF] = __float2bfloat16_rn(fmaf(first, sine, second * cosine));
  }
}
