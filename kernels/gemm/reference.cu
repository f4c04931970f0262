// C = op(A) op(B), as it is defined: a thread for each element of C.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                     __nv_bfloat16* C) {
  const long long m = blockIdx.y * SIDE + threadIdx.y;
  const long long n = blockIdx.x * SIDE + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = 0;
  for (long long k = 0; k < K; ++k) {
    const float a = __bfloat162float(LAYOUT_A == 1 ? A[m * K + k] : A[k * M + m]);
    const float b = __bfloat162float(LAYOUT_B == 1 ? B[k * N + n] : B[n * K + k]);
    sum += a * b;
  }
  C[m * N + n] = __float2bfloat16(sum);
}
