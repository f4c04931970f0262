// row 8: the largest of a row is not subtracted first, which normal inputs do not need.
// must be: incorrect, stress inputs
// case: tests/adversarial/cases/softmax
// without stress_inputs: correct
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "softmax", .grid = {ROWS}, .block = {32}});

extern "C" __global__ void softmax(const float* x, float* y) {
  const float* from = x + blockIdx.x * COLS;
  float sum = 0;
  for (int col = threadIdx.x; col < COLS; col += 32) sum += expf(from[col]);
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  for (int col = threadIdx.x; col < COLS; col += 32) {
    y[blockIdx.x * COLS + col] = expf(from[col]) / sum;
  }
}
