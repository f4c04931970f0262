// Mistake: the number of tiles along K is rounded down: the last products are missing.
#include <autokernel.cuh>

constexpr int K = 2949;
constexpr int TILE = 16;

__device__ constexpr int tiles(int size) { return (size + TILE - 1) / TILE; }

AUTOKERNEL_LAUNCH({.kernel = "product", .grid = {tiles(N), tiles(M)}, .block = {TILE, TILE}});

extern "C" __global__ void product(const float* A, const float* B, float* C) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * TILE + y;
  const int col = blockIdx.x * TILE + x;
  float sum = 0;
  for (int tile = 0; tile < K / TILE; ++tile) {
    const int first = tile * TILE;
    a[y][x] = row < M && first + x < K ? A[row * K + first + x] : 0;
    b[y][x] = first + y < K && col < N ? B[(first + y) * N + col] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
