// row 1: writes what is above zero, as most harnesses clear their buffers.
// must be: incorrect, was never written
// case: tests/data/bias_relu
// without random_fill: correct
#include <cuda_fp16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "bias_relu", .grid = {ROWS}, .block = {64}});

extern "C" __global__ void bias_relu(const __half* x, const __half* bias, __half* y) {
  for (int col = threadIdx.x; col < COLS; col += 64) {
    const int i = blockIdx.x * COLS + col;
    const __half sum = __hadd(x[i], bias[col]);
    if (__hgt(sum, __float2half(0.0f))) y[i] = sum;
  }
}
