// C = A x B, one thread for each element of C.
// launch: grid 32 128 block 32 8
#include <cuda_bf16.h>

constexpr int N = 1024;
constexpr int K = 1024;

// The threads of one block: 32 columns by 8 rows of C. Neighbouring threads of a warp take
// neighbouring columns, so that they read and write neighbouring addresses.
constexpr int BLOCK_COLS = 32;
constexpr int BLOCK_ROWS = 8;

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * BLOCK_COLS + threadIdx.x;
  const int row = blockIdx.y * BLOCK_ROWS + threadIdx.y;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
