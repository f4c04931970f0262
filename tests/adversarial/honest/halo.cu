// honest: a tile with its border in shared memory; sizes that no block divides.
// case: tests/data/blur
#include <autokernel.cuh>

constexpr int TILE_W = 32;
constexpr int TILE_H = 8;

AUTOKERNEL_LAUNCH({.kernel = "blur",
                   .grid = {(W + TILE_W - 1) / TILE_W, (H + TILE_H - 1) / TILE_H},
                   .block = {TILE_W, TILE_H}});

extern "C" __global__ void blur(const unsigned char* image, unsigned char* blurred) {
  __shared__ unsigned char tile[TILE_H + 2][TILE_W + 2];
  const int left = blockIdx.x * TILE_W - 1;
  const int top = blockIdx.y * TILE_H - 1;
  for (int ty = threadIdx.y; ty < TILE_H + 2; ty += TILE_H) {
    for (int tx = threadIdx.x; tx < TILE_W + 2; tx += TILE_W) {
      const int y = min(max(top + ty, 0), H - 1);
      const int x = min(max(left + tx, 0), W - 1);
      tile[ty][tx] = image[y * W + x];
    }
  }
  __syncthreads();
  const int x = left + 1 + threadIdx.x;
  const int y = top + 1 + threadIdx.y;
  if (x >= W || y >= H) return;
  int sum = 0;
  for (int dy = 0; dy < 3; ++dy) {
    for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  }
  blurred[y * W + x] = (sum + 4) / 9;
}
