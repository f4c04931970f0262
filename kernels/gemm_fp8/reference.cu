// C = scale_a scale_b A B^T, as it is defined: a thread for each element of C.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <autokernel.cuh>

constexpr int SIDE = 16;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B,
                                     const float* scale_a, const float* scale_b, __nv_bfloat16* C) {
  const long long m = blockIdx.y * SIDE + threadIdx.y;
  const long long n = blockIdx.x * SIDE + threadIdx.x;
  if (m >= M || n >= N) return;
  float sum = 0;
  for (long long k = 0; k < K; ++k) {
    sum += static_cast<float>(A[m * K + k]) * static_cast<float>(B[n * K + k]);
  }
  C[m * N + n] = __float2bfloat16(scale_a[m] * scale_b[n] * sum);
}
