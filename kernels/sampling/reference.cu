// The token of each row: a thread for a row goes over it and keeps the first of the largest sums.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 32;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* logits, const float* noise, int* token,
                                     float temperature) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  const long long begin = static_cast<long long>(row) * COLS;
  float largest = 0;
  for (int col = 0; col < COLS; ++col) {
    const float sum = __bfloat162float(logits[begin + col]) / temperature + noise[begin + col];
    if (col == 0 || sum > largest) {
      largest = sum;
      token[row] = col;
    }
  }
}
