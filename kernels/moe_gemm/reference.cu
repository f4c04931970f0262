// The product of each token with the weights of its expert: a thread for each element.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 8;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(TOKENS + SIDE - 1) / SIDE, (INTER + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* w,
                                     const int* offsets, __nv_bfloat16* y) {
  const long long token = blockIdx.x * SIDE + threadIdx.x;
  const long long inter = blockIdx.y * SIDE + threadIdx.y;
  if (token >= TOKENS || inter >= INTER) return;
  long long expert = 0;
  while (offsets[expert + 1] <= token) ++expert;
  float sum = 0;
  for (int i = 0; i < HIDDEN; ++i) {
    sum += __bfloat162float(x[token * HIDDEN + i]) *
           __bfloat162float(w[(expert * INTER + inter) * HIDDEN + i]);
  }
  y[token * INTER + inter] = __float2bfloat16(sum);
}
