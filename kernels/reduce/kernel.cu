// The sums of 32 columns for each block, 32 rows at once. A start, and right at every size.
#include <autokernel.cuh>

constexpr int WIDTH = 32;
constexpr int HEIGHT = 32;

AUTOKERNEL_LAUNCH({.kernel = "reduce",
                   .grid = {(COLS + WIDTH - 1) / WIDTH},
                   .block = {WIDTH, HEIGHT}});

extern "C" __global__ void reduce(const float* x, float* sums) {
  __shared__ float parts[HEIGHT][WIDTH];
  const int col = blockIdx.x * WIDTH + threadIdx.x;
  float sum = 0;
  if (col < COLS) {
    for (long long row = threadIdx.y; row < ROWS; row += HEIGHT) sum += x[row * COLS + col];
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || col >= COLS) return;
  for (int i = 1; i < HEIGHT; ++i) sum += parts[i][threadIdx.x];
  sums[col] = sum;
}
