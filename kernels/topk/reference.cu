// The K largest of each row: a warp sorts them into a list in shared memory (insertion sort). Lanes
// find the values that belong there, and the first lane inserts them in the order of columns. A
// value goes before smaller ones alone, so that the first of equal ones stays first.
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "reference", .grid = {ROWS}, .block = {32}});

// Inserts the value of a column, to which all columns before it have been compared.
__device__ void insert(float value, int col, float* best, int* cols) {
  // The place behind the sorted ones, of which there are no more than K.
  int place = col < K ? col : K;
  while (place > 0 && value > best[place - 1]) {
    if (place < K) {
      best[place] = best[place - 1];
      cols[place] = cols[place - 1];
    }
    --place;
  }
  if (place < K) {
    best[place] = value;
    cols[place] = col;
  }
}

extern "C" __global__ void reference(const __nv_bfloat16* x, __nv_bfloat16* values, int* indices) {
  __shared__ float best[K];
  __shared__ int cols[K];
  const long long row = blockIdx.x;
  const int lane = threadIdx.x;
  x += row * COLS;
  for (int begin = 0; begin < COLS; begin += 32) {
    const int col = begin + lane;
    const float value = col < COLS ? __bfloat162float(x[col]) : 0.0f;
    // Until the list is full, each one may belong there.
    const bool may = col < COLS && (begin < K || value > best[K - 1]);
    for (unsigned left = __ballot_sync(~0u, may); left != 0; left &= left - 1) {
      const int next = __ffs(left) - 1;
      const float inserted = __shfl_sync(~0u, value, next);
      if (lane == 0) insert(inserted, begin + next, best, cols);
    }
    __syncwarp();
  }
  for (int place = lane; place < K; place += 32) {
    values[row * K + place] = x[cols[place]];
    indices[row * K + place] = cols[place];
  }
}
