// honest: packed f16 arithmetic.
// case: tests/data/bias_relu
#include <cuda_fp16.h>

#include <autokernel.cuh>

constexpr int PAIRS = COLS / 2;
constexpr int THREADS = PAIRS < 256 ? PAIRS : 256;
static_assert(COLS % 2 == 0 && PAIRS % THREADS == 0);

AUTOKERNEL_LAUNCH({.kernel = "bias_relu", .grid = {PAIRS / THREADS, ROWS}, .block = {THREADS}});

extern "C" __global__ void bias_relu(const __half2* x, const __half2* bias, __half2* y) {
  const int pair = blockIdx.x * THREADS + threadIdx.x;
  const int i = blockIdx.y * PAIRS + pair;
  y[i] = __hmax2(__hadd2(x[i], bias[pair]), __float2half2_rn(0.0f));
}
