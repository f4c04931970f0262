// The token of each row: a block for a row, one pass over it. A start, and right at every size.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "sampling", .grid = {ROWS}, .block = {THREADS}});

struct Entry {
  float sum;
  int col;
};

// The larger sum, and of equal ones the lower column.
__device__ Entry better(Entry a, Entry b) {
  if (a.sum == b.sum) return a.col < b.col ? a : b;
  return a.sum > b.sum ? a : b;
}

// The best of one entry of each thread.
__device__ Entry best_of_block(Entry entry) {
  __shared__ Entry entries[THREADS];
  entries[threadIdx.x] = entry;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      entries[threadIdx.x] = better(entries[threadIdx.x], entries[threadIdx.x + half]);
    __syncthreads();
  }
  return entries[0];
}

extern "C" __global__ void sampling(const __nv_bfloat16* logits, const float* noise, int* token,
                                    float temperature) {
  logits += static_cast<long long>(blockIdx.x) * COLS;
  noise += static_cast<long long>(blockIdx.x) * COLS;
  Entry best = {-CUDART_INF_F, COLS};
  for (int col = threadIdx.x; col < COLS; col += THREADS)
    best = better(best, {__bfloat162float(logits[col]) / temperature + noise[col], col});
  best = best_of_block(best);
  if (threadIdx.x == 0) token[blockIdx.x] = best.col;
}
