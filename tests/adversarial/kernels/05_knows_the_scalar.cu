// row 5: takes one value of a scalar for that of all launches.
// must be: incorrect
// on a GPU: incorrect
// case: tests/data/scaled_sum
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "scaled_sum", .grid = {N / THREADS}, .block = {THREADS}});

// Within the range that the case states.
constexpr float ALPHA = 1.25f;

extern "C" __global__ void scaled_sum(const float* x, float* z, float, __nv_bfloat16 beta,
                                      int limit) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  z[i] = i < limit ? __fadd_rn(__fmul_rn(ALPHA, x[i]), __bfloat162float(beta)) : 0.0f;
}
