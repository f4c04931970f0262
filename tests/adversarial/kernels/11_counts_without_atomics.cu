// row 11: adds one to a counter that all threads share, each by a load and a store.
// must be: incorrect, elements differ
// case: tests/data/histogram
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "clear", .grid = {1}, .block = {128}},
                  {.kernel = "count", .grid = {(N + 127) / 128}, .block = {128}});

extern "C" __global__ void clear(const int*, int* counts) {
  if (threadIdx.x < 100) counts[threadIdx.x] = 0;
}

extern "C" __global__ void count(const int* values, int* counts) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < N) counts[values[i]] = counts[values[i]] + 1;
}
