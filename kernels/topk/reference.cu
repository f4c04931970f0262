// The K largest of each row: a thread for a row sorts them into its part of the result (insertion
// sort). A value goes before smaller ones alone, so that the first of equal ones stays first.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 32;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ROWS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, __nv_bfloat16* values, int* indices) {
  const int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= ROWS) return;
  x += static_cast<long long>(row) * COLS;
  values += static_cast<long long>(row) * K;
  indices += static_cast<long long>(row) * K;
  for (int col = 0; col < COLS; ++col) {
    const float value = __bfloat162float(x[col]);
    // The place behind the sorted ones, of which there are no more than K.
    int place = col < K ? col : K;
    while (place > 0 && value > __bfloat162float(values[place - 1])) {
      if (place < K) {
        values[place] = values[place - 1];
        indices[place] = indices[place - 1];
      }
      --place;
    }
    if (place < K) {
      values[place] = x[col];
      indices[place] = col;
    }
  }
}
