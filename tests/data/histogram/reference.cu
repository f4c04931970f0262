// How often each value occurs, one thread for each value: plain, slow, right.
#include <autokernel.cuh>

constexpr int BINS = 100;

AUTOKERNEL_LAUNCH({.kernel = "reference", .grid = {BINS}});

extern "C" __global__ void reference(const int* values, int* counts) {
  const int bin = blockIdx.x;
  int count = 0;
  for (int i = 0; i < N; ++i) count += values[i] == bin ? 1 : 0;
  counts[bin] = count;
}
