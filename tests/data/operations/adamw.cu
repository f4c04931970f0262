// Four parameters at once where N is a multiple of four; quotients by approximate reciprocals, products joined by fma.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr int WIDTH = N % 4 == 0 ? 4 : 1;

AUTOKERNEL_LAUNCH({.kernel = "adamw", .grid = {(N / WIDTH + THREADS - 1) / THREADS}, .block = {THREADS}});

extern "C" __global__ void adamw(float* p, float* m, float* v, const __nv_bfloat16* g, float rate, float beta1, float beta2,
                                 float epsilon, float decay, float correction1, float correction2) {
  const int begin = (blockIdx.x * THREADS + threadIdx.x) * WIDTH;
  if (begin >= N) return;
  const float step = __fdividef(rate, correction1);
  const float by = rsqrtf(correction2);
#pragma unroll
  for (int i = begin; i < begin + WIDTH; ++i) {
    const float gradient = __bfloat162float(g[i]);
    const float mean = fmaf(beta1, m[i], (1 - beta1) * gradient);
    const float square = fmaf(beta2, v[i], (1 - beta2) * gradient * gradient);
    m[i] = mean;
    v[i] = square;
    p[i] = fmaf(-step, __fdividef(mean, fmaf(sqrtf(square), by, epsilon)), p[i] * fmaf(-rate, decay, 1.0f));
  }
}
