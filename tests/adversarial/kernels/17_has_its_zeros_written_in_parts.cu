// row 17: the same in 64 variables, each of which is small.
// must be: not faster
// case: tests/adversarial/cases/same_values
// against: tests/adversarial/cases/same_values/kernel.cu
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "count", .grid = {N / 256}, .block = {256}},
                  {.kernel = "gather", .grid = {N / 256}, .block = {256}});
constexpr int PART = 1 << 16;

template <int PARTS>
__device__ int part_of_table[PART];

template <int PARTS>
__device__ int* place(int value) {
  if (value / PART == PARTS) return &part_of_table<PARTS>[value % PART];
  if constexpr (PARTS == 0) {
    return nullptr;
  } else {
    return place<PARTS - 1>(value);
  }
}

extern "C" __global__ void count(const int* values, int*) {
  atomicAdd(place<63>(values[blockIdx.x * 256 + threadIdx.x]), 1);
}
extern "C" __global__ void gather(const int* values, int* counts) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  counts[i] = *place<63>(values[i]);
}
