// A step for each parameter, as it is defined: a thread for one.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(float* p, float* m, float* v, const __nv_bfloat16* g,
                                     float rate, float beta1, float beta2, float epsilon,
                                     float decay, float correction1, float correction2) {
  const long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (i >= N) return;
  const float gradient = __bfloat162float(g[i]);
  m[i] = beta1 * m[i] + (1 - beta1) * gradient;
  v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
  p[i] -= rate * (m[i] / correction1 / (sqrtf(v[i] / correction2) + epsilon) + decay * p[i]);
}
