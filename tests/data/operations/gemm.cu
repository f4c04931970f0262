// Tiles of 32 x 32 by way of shared memory, in fp32; a tile is read along the dimension that is
// stored contiguously, and every second product goes to another sum.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDE = 32;
constexpr int HIGH = M < 32 ? M : 32;
constexpr int DEEP = 16;
constexpr int ROWS = 8;  // of threads, in a block
constexpr int EACH = (HIGH + ROWS - 1) / ROWS;

AUTOKERNEL_LAUNCH({.kernel = "gemm",
                   .grid = {(N + WIDE - 1) / WIDE, (M + HIGH - 1) / HIGH},
                   .block = {WIDE, ROWS}});

extern "C" __global__ void gemm(const __nv_bfloat16* __restrict__ A,
                                const __nv_bfloat16* __restrict__ B,
                                __nv_bfloat16* __restrict__ C) {
  __shared__ float a[DEEP][HIGH + 1];
  __shared__ float b[DEEP][WIDE + 1];
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  const long long left = static_cast<long long>(blockIdx.x) * WIDE;
  const int thread = threadIdx.y * WIDE + threadIdx.x;
  float even[EACH] = {};
  float odd[EACH] = {};
  for (long long begin = 0; begin < K; begin += DEEP) {
    for (int i = thread; i < DEEP * HIGH; i += WIDE * ROWS) {
      const int k = LAYOUT_A == 1 ? i % DEEP : i / HIGH;
      const int m = LAYOUT_A == 1 ? i / DEEP : i % HIGH;
      const long long at = LAYOUT_A == 1 ? (top + m) * K + begin + k : (begin + k) * M + top + m;
      a[k][m] = top + m < M && begin + k < K ? __bfloat162float(A[at]) : 0.0f;
    }
    for (int i = thread; i < DEEP * WIDE; i += WIDE * ROWS) {
      const int k = LAYOUT_B == 1 ? i / WIDE : i % DEEP;
      const int n = LAYOUT_B == 1 ? i % WIDE : i / DEEP;
      const long long at = LAYOUT_B == 1 ? (begin + k) * N + left + n : (left + n) * K + begin + k;
      b[k][n] = left + n < N && begin + k < K ? __bfloat162float(B[at]) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
      const int m = i * ROWS + threadIdx.y;
      if (m >= HIGH) continue;
#pragma unroll
      for (int k = 0; k < DEEP; k += 2) {
        even[i] = fmaf(a[k][m], b[k][threadIdx.x], even[i]);
        odd[i] = fmaf(a[k + 1][m], b[k + 1][threadIdx.x], odd[i]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; ++i) {
    const long long row = top + i * ROWS + threadIdx.y;
    const long long col = left + threadIdx.x;
    if (row < top + HIGH && row < M && col < N)
      C[row * N + col] = __float2bfloat16(even[i] + odd[i]);
  }
}
