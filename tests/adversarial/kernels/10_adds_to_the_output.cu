// row 10: counts into the output without the launch that clears it.
// must be: incorrect, elements differ
// case: tests/data/histogram
// without random_fill: correct
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "count", .grid = {(N + 127) / 128}, .block = {128}});

extern "C" __global__ void count(const int* values, int* counts) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < N) atomicAdd(&counts[values[i]], 1);
}
