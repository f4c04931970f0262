// The softmax of each row, one warp for each.
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {ROWS}, .block = {32}});

extern "C" __global__ void softmax(const float* x, float* y) {
  const float* from = x + blockIdx.x * COLS;
  float largest = from[threadIdx.x];
  for (int col = threadIdx.x; col < COLS; col += 32) largest = fmaxf(largest, from[col]);
  for (int distance = 16; distance > 0; distance /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  }
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) sum += expf(from[col] - largest);
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  for (int col = threadIdx.x; col < COLS; col += 32) {
    y[blockIdx.x * COLS + col] = expf(from[col] - largest) / sum;
  }
}
