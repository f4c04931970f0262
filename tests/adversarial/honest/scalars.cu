// honest: takes scalars by value, with a workspace behind them.
// case: tests/data/scaled_sum
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "multiply", .grid = {N / THREADS}, .block = {THREADS}},
                  {.kernel = "add", .grid = {N / THREADS}, .block = {THREADS}});
AUTOKERNEL_WORKSPACE(sizeof(float) * N);

extern "C" __global__ void multiply(const float* x, float*, float alpha, __nv_bfloat16, int,
                                    float* products) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  products[i] = __fmul_rn(alpha, x[i]);
}

extern "C" __global__ void add(const float*, float* z, float, __nv_bfloat16 beta, int limit,
                               const float* products) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = i < limit ? __fadd_rn(products[i], __bfloat162float(beta)) : 0.0f;
}
