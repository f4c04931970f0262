// honest: counts in shared memory with atomics, two launches.
// case: tests/data/histogram
#include <autokernel.cuh>

constexpr int BINS = 100;
constexpr int THREADS = 128;
constexpr int PER_BLOCK = 4096;

AUTOKERNEL_LAUNCH({.kernel = "clear", .grid = {1}, .block = {THREADS}},
                  {.kernel = "count",
                   .grid = {(N + PER_BLOCK - 1) / PER_BLOCK},
                   .block = {THREADS}});

extern "C" __global__ void clear(const int*, int* counts) {
  if (threadIdx.x < BINS) counts[threadIdx.x] = 0;
}

extern "C" __global__ void count(const int* values, int* counts) {
  __shared__ int own[BINS];
  if (threadIdx.x < BINS) own[threadIdx.x] = 0;
  __syncthreads();
  const int begin = blockIdx.x * PER_BLOCK;
  const int end = begin + PER_BLOCK < N ? begin + PER_BLOCK : N;
  for (int i = begin + threadIdx.x; i < end; i += THREADS) atomicAdd(&own[values[i]], 1);
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
