// One thread per element.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "scaled_sum", .grid = {N / THREADS}, .block = {THREADS}});

extern "C" __global__ void scaled_sum(const float* x, float* z, float alpha, __nv_bfloat16 beta,
                                      int limit) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = i < limit ? __fadd_rn(__fmul_rn(alpha, x[i]), __bfloat162float(beta)) : 0.0f;
}
