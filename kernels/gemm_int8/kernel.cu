// C = A B^T of int8 in int32: a thread for each element of C. A start, and right at every size.
#include <autokernel.cuh>

constexpr int COLS = 32;  // of C, in a block
constexpr int ROWS = 8;

AUTOKERNEL_LAUNCH({.kernel = "gemm_int8",
                   .grid = {(N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS},
                   .block = {COLS, ROWS}});

extern "C" __global__ void gemm_int8(const signed char* A, const signed char* B, int* C) {
  const long long col = blockIdx.x * COLS + threadIdx.x;
  const long long row = blockIdx.y * ROWS + threadIdx.y;
  if (row >= M || col >= N) return;
  int sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[col * K + k];
  C[row * N + col] = sum;
}
