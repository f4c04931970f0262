// row 5: inputs that are made from one seed are the same in every run: the counts are written down, and nothing is counted.
// must be: incorrect, elements differ
// case: tests/data/histogram
// without fresh_keys: correct
#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "recite", .grid = {1}, .block = {128}});

__constant__ int answers[100] = {
    59, 53, 52, 70, 43, 55, 61, 49, 49, 51, 46, 51, 48, 54, 53, 55, 47, 61, 43, 52, 43, 45, 47, 54, 35,
    52, 53, 44, 45, 40, 56, 40, 50, 51, 38, 47, 49, 47, 42, 69, 52, 40, 56, 56, 37, 53, 57, 51, 52, 43,
    52, 48, 58, 41, 46, 65, 57, 47, 65, 58, 56, 45, 53, 52, 49, 47, 51, 39, 53, 52, 53, 43, 49, 52, 47,
    58, 45, 49, 47, 49, 40, 55, 42, 53, 43, 49, 43, 42, 36, 46, 43, 53, 51, 52, 58, 62, 51, 47, 57, 55};

extern "C" __global__ void recite(const int*, int* counts) {
  if (threadIdx.x < 100) counts[threadIdx.x] = answers[threadIdx.x];
}
