// diag(A) x B: row i of B is scaled by A[i].
#include <autokernel.cuh>

constexpr int ROWS = 4096;
constexpr int THREADS = 64;

AUTOKERNEL_LAUNCH({.kernel = "scale_rows",
                   .grid = {(M + THREADS - 1) / THREADS, ROWS},
                   .block = {THREADS}});

extern "C" __global__ void scale_rows(const float* A, const float* B, float* output) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col < M) output[row * M + col] = A[row] * B[row * M + col];
}
