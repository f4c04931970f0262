// Counts in a table of zeros, which the harness writes before each launch, timed.
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "count", .grid = {N / 256}, .block = {256}},
                  {.kernel = "gather", .grid = {N / 256}, .block = {256}});
constexpr int VALUES = 1 << 22;
AUTOKERNEL_ZEROED_WORKSPACE(sizeof(int) * VALUES);

extern "C" __global__ void count(const int* values, int*, int* table) {
  atomicAdd(&table[values[blockIdx.x * 256 + threadIdx.x]], 1);
}
extern "C" __global__ void gather(const int* values, int* counts, const int* table) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  counts[i] = table[values[i]];
}
