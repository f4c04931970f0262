// Each value against every other.
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "same", .grid = {N / 256}, .block = {256}});
extern "C" __global__ void same(const int* v, int* c) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int n = 0;
  for (int j = 0; j < N; ++j) n += v[j] == v[i];
  c[i] = n;
}
