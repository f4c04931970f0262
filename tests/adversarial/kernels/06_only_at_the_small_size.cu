// row 6: the size that is checked most is known when the kernel is compiled; at the other one half of the sum must do.
// must be: incorrect, elements differ
// case: tests/data/split_k
// size: default
// without compared_timed_launches, stress_inputs: correct
#include <cuda_fp16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "multiply", .grid = {N / 16, M / 16}, .block = {16, 16}});

extern "C" __global__ void multiply(const __half* A, const __half* B, __half* C) {
  const int col = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  constexpr int END = K > 512 ? K / 2 : K;
  float sum = 0;
  for (int k = 0; k < END; ++k) sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
  C[row * N + col] = __float2half(sum);
}
