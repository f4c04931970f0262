// The same in fp64, which the errors of kernels in fp32 are measured from. A product of two bf16 is
// exact in fp32.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 8;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(TOKENS + SIDE - 1) / SIDE, (INTER + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* w,
                                     const int* offsets, double* y) {
  const long long token = blockIdx.x * SIDE + threadIdx.x;
  const long long inter = blockIdx.y * SIDE + threadIdx.y;
  if (token >= TOKENS || inter >= INTER) return;
  long long expert = 0;
  while (offsets[expert + 1] <= token) ++expert;
  double sum = 0;
  for (int i = 0; i < HIDDEN; ++i) {
    sum += __bfloat162float(x[token * HIDDEN + i]) *
           __bfloat162float(w[(expert * INTER + inter) * HIDDEN + i]);
  }
  y[token * INTER + inter] = sum;
}
