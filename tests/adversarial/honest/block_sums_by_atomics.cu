// honest: the counts of each warp apart, found by matching lanes, and added by one atomic for each value.
// case: tests/data/histogram
#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH({.kernel = "clear", .grid = {1}, .block = {128}},
                  {.kernel = "count", .grid = {4}, .block = {THREADS}});

extern "C" __global__ void clear(const int*, int* counts) {
  if (threadIdx.x < 100) counts[threadIdx.x] = 0;
}

extern "C" __global__ void count(const int* values, int* counts) {
  for (int first = blockIdx.x * THREADS; first < N; first += gridDim.x * THREADS) {
    const int i = first + threadIdx.x;
    const unsigned inside = __ballot_sync(0xffffffffu, i < N);
    if (i >= N) continue;
    const unsigned same = __match_any_sync(inside, values[i]);
    if (static_cast<int>(threadIdx.x % 32) == __ffs(same) - 1) atomicAdd(&counts[values[i]], __popc(same));
  }
}
