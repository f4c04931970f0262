// Each pair of each head is turned: a thread for a pair.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr long long PAIRS = static_cast<long long>(TOKENS) * HEADS * HALF;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(PAIRS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const int* positions,
                                     const float* cosines, const float* sines, __nv_bfloat16* y) {
  const long long pair = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (pair >= PAIRS) return;
  const int i = pair % HALF;
  const long long head = pair / HALF;
  const long long angle = static_cast<long long>(positions[head / HEADS]) * HALF + i;
  const float first = __bfloat162float(x[head * 2 * HALF + i]);
  const float second = __bfloat162float(x[head * 2 * HALF + HALF + i]);
  y[head * 2 * HALF + i] = __float2bfloat16(first * cosines[angle] - second * sines[angle]);
  y[head * 2 * HALF + HALF + i] = __float2bfloat16(second * cosines[angle] + first * sines[angle]);
}
