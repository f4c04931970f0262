// The gated product as it is defined: a thread for each element, one sum for either product.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 8;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(TOKENS + SIDE - 1) / SIDE, (INTER + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* gate,
                                     const __nv_bfloat16* up, __nv_bfloat16* y) {
  const long long token = blockIdx.x * SIDE + threadIdx.x;
  const long long inter = blockIdx.y * SIDE + threadIdx.y;
  if (token >= TOKENS || inter >= INTER) return;
  float by_gate = 0;
  float by_up = 0;
  for (int i = 0; i < HIDDEN; ++i) {
    const float value = __bfloat162float(x[token * HIDDEN + i]);
    by_gate += value * __bfloat162float(gate[inter * HIDDEN + i]);
    by_up += value * __bfloat162float(up[inter * HIDDEN + i]);
  }
  y[token * INTER + inter] = __float2bfloat16(by_gate / (1 + expf(-by_gate)) * by_up);
}
