// honest: 32 elements of a row in the registers of each thread, in two large blocks.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 1024;
constexpr int EACH = 32;  // elements of a thread, in one row
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {M * N / (THREADS * EACH)}, .block = {THREADS}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int first = (blockIdx.x * THREADS + threadIdx.x) * EACH;
  const int row = first / N;
  float sums[EACH] = {};
#pragma unroll 1
  for (int k = 0; k < K; ++k) {
    const float a = __bfloat162float(A[row * K + k]);
#pragma unroll
    for (int i = 0; i < EACH; i += 8) {
      const uint4 b = *reinterpret_cast<const uint4*>(B + k * N + first % N + i);
      const unsigned pairs[] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        sums[i + 2 * pair] += a * __uint_as_float(pairs[pair] << 16);
        sums[i + 2 * pair + 1] += a * __uint_as_float(pairs[pair] & 0xffff0000u);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    C[first + i] = __float2bfloat16(sums[i]);
  }
}
