// Each pair of each head is turned: a block for the heads of a token. A start, and right at every
// size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "rotary_embedding", .grid = {TOKENS}, .block = {THREADS}});

extern "C" __global__ void rotary_embedding(const __nv_bfloat16* x, const int* positions,
                                            const float* cosines, const float* sines,
                                            __nv_bfloat16* y) {
  x += static_cast<long long>(blockIdx.x) * HEADS * 2 * HALF;
  y += static_cast<long long>(blockIdx.x) * HEADS * 2 * HALF;
  cosines += static_cast<long long>(positions[blockIdx.x]) * HALF;
  sines += static_cast<long long>(positions[blockIdx.x]) * HALF;
  for (int pair = threadIdx.x; pair < HEADS * HALF; pair += THREADS) {
    const int i = pair % HALF;
    const int at = pair / HALF * 2 * HALF + i;
    const float first = __bfloat162float(x[at]);
    const float second = __bfloat162float(x[at + HALF]);
    y[at] = __float2bfloat16(first * cosines[i] - second * sines[i]);
    y[at + HALF] = __float2bfloat16(second * cosines[i] + first * sines[i]);
  }
}
