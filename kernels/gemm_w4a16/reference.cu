// C = A W^T with W in 4 bits: a thread for each element of C. Weights are rounded to bf16, as
// tensor cores take them; sums are in fp32.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_bfloat16* A, const unsigned char* B,
                                     const __nv_bfloat16* scale, __nv_bfloat16* C) {
  const long long m = blockIdx.y * SIDE + threadIdx.y;
  const long long n = blockIdx.x * SIDE + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = 0;
  for (long long k = 0; k < K; ++k) {
    const int pair = B[n * (K / 2) + k / 2];
    const int q = k % 2 == 0 ? pair & 15 : pair >> 4;
    const float by = __bfloat162float(scale[n * (K / GROUP) + k / GROUP]);
    const float weight = __bfloat162float(__float2bfloat16((q - 8) * by));
    sum += __bfloat162float(A[m * K + k]) * weight;
  }
  C[m * N + n] = __float2bfloat16(sum);
}
