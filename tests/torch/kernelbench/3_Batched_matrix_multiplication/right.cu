// C[b] = A[b] x B[b], a thread for each element of C.
#include <autokernel.cuh>

constexpr int ROWS = 512;
constexpr int TILE = 16;

AUTOKERNEL_LAUNCH({.kernel = "batched_product",
                   .grid = {(n + TILE - 1) / TILE, ROWS / TILE, batch_size},
                   .block = {TILE, TILE}});

extern "C" __global__ void batched_product(const float* A, const float* B, float* C) {
  const long long batch = blockIdx.z;
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  if (col >= n) return;
  A += (batch * ROWS + row) * k;
  B += batch * k * n + col;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[i] * B[static_cast<long long>(i) * n];
  C[(batch * ROWS + row) * n + col] = sum;
}
