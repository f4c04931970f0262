// row 17: the table of zeros is a variable of the module, which the harness sets back before each launch.
// must be: not faster
// case: tests/adversarial/cases/same_values
// against: tests/adversarial/cases/same_values/kernel.cu
// without timed_restoring: faster
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "count", .grid = {N / 256}, .block = {256}},
                  {.kernel = "gather", .grid = {N / 256}, .block = {256}});
constexpr int VALUES = 1 << 22;
__device__ int table[VALUES];

extern "C" __global__ void count(const int* values, int*) {
  atomicAdd(&table[values[blockIdx.x * 256 + threadIdx.x]], 1);
}
extern "C" __global__ void gather(const int* values, int* counts) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  counts[i] = table[values[i]];
}
