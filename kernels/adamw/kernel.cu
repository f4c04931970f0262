// A step for each parameter: threads of a grid that goes over all of them. A start, and right at
// every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;
constexpr int BLOCKS = N < 1024 * THREADS ? (N + THREADS - 1) / THREADS : 1024;

AUTOKERNEL_LAUNCH({.kernel = "adamw", .grid = {BLOCKS}, .block = {THREADS}});

extern "C" __global__ void adamw(float* p, float* m, float* v, const __nv_bfloat16* g, float rate,
                                 float beta1, float beta2, float epsilon, float decay,
                                 float correction1, float correction2) {
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += BLOCKS * THREADS) {
    const float gradient = __bfloat162float(g[i]);
    m[i] = beta1 * m[i] + (1 - beta1) * gradient;
    v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
    p[i] -= rate * (m[i] / correction1 / (sqrtf(v[i] / correction2) + epsilon) + decay * p[i]);
  }
}
