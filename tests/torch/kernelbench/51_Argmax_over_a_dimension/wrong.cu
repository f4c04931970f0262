// Mistake: indices are written as 32 bits each; the output has 64.
#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "argmax",
                   .grid = {(dim2 + THREADS - 1) / THREADS, batch_size},
                   .block = {THREADS}});

extern "C" __global__ void argmax(const float* x, int* output) {
  const int col = blockIdx.x * THREADS + threadIdx.x;
  if (col >= dim2) return;
  x += static_cast<long long>(blockIdx.y) * dim1 * dim2 + col;
  int best = 0;
  for (int i = 1; i < dim1; ++i) {
    if (x[i * dim2] > x[best * dim2]) best = i;
  }
  output[blockIdx.y * dim2 + col] = best;
}
