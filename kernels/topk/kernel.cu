// The K largest of each row: a block for a row, a pass over it for each of them. A start, and right
// at every size.
#include <cuda_bf16.h>
#include <math_constants.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;

AUTOKERNEL_LAUNCH({.kernel = "topk", .grid = {ROWS}, .block = {THREADS}});

struct Entry {
  float value;
  int col;
};

// The order of the result: larger values first, and of equal ones the lower column.
__device__ bool is_before(Entry a, Entry b) {
  return a.value > b.value || (a.value == b.value && a.col < b.col);
}

// The first of one entry of each thread.
__device__ Entry first_of_block(Entry entry) {
  __shared__ Entry entries[THREADS];
  entries[threadIdx.x] = entry;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && is_before(entries[threadIdx.x + half], entries[threadIdx.x]))
      entries[threadIdx.x] = entries[threadIdx.x + half];
    __syncthreads();
  }
  entry = entries[0];
  __syncthreads();
  return entry;
}

extern "C" __global__ void topk(const __nv_bfloat16* x, __nv_bfloat16* values, int* indices) {
  x += static_cast<long long>(blockIdx.x) * COLS;
  values += static_cast<long long>(blockIdx.x) * K;
  indices += static_cast<long long>(blockIdx.x) * K;
  // Before every entry that there is, and then the one that the last pass found.
  Entry last = {CUDART_INF_F, -1};
  for (int place = 0; place < K; ++place) {
    Entry first = {-CUDART_INF_F, COLS};
    for (int col = threadIdx.x; col < COLS; col += THREADS) {
      const Entry entry = {__bfloat162float(x[col]), col};
      if (is_before(last, entry) && is_before(entry, first)) first = entry;
    }
    last = first_of_block(first);
    if (threadIdx.x == 0) {
      values[place] = x[last.col];
      indices[place] = last.col;
    }
  }
}
