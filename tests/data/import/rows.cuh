#pragma once
#include <cuda_fp16.h>

typedef half element;

// Sum over the lanes of a warp.
__device__ float warp_sum(float x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(~0u, x, distance);
  return x;
}
