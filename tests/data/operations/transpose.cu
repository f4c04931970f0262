// Tiles of 64 x 16, without shared memory: a thread gathers a column of a tile.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 64;
constexpr int DEPTH = 16;

AUTOKERNEL_LAUNCH({.kernel = "transpose",
                   .grid = {(ROWS + THREADS - 1) / THREADS, (COLS + DEPTH - 1) / DEPTH},
                   .block = {THREADS}});

extern "C" __global__ void transpose(const unsigned short* __restrict__ x, unsigned short* __restrict__ y) {
  const long long row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
    const long long col = blockIdx.y * DEPTH + i;
    if (col < COLS) y[col * ROWS + row] = x[row * COLS + col];
  }
}
