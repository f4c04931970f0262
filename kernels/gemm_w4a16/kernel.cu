// C = A W^T with W in 4 bits: a thread for each element of C. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int COLS = 32;  // of C, in a block
constexpr int ROWS = 8;

AUTOKERNEL_LAUNCH({.kernel = "gemm_w4a16",
                   .grid = {(N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS},
                   .block = {COLS, ROWS}});

extern "C" __global__ void gemm_w4a16(const __nv_bfloat16* A, const unsigned char* B,
                                      const __nv_bfloat16* scale, __nv_bfloat16* C) {
  const long long col = blockIdx.x * COLS + threadIdx.x;
  const long long row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int group = 0; group < K / GROUP; ++group) {
    float part = 0;
    for (int k = group * GROUP; k < (group + 1) * GROUP; k += 2) {
      const int pair = B[(col * K + k) / 2];
      const int low = pair & 15;
      const int high = pair >> 4;
      part += __bfloat162float(A[row * K + k]) * (low - 8);
      part += __bfloat162float(A[row * K + k + 1]) * (high - 8);
    }
    sum += part * __bfloat162float(scale[col * (K / GROUP) + group]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
