// A warp for a row of both weights and four tokens: its lanes share the sums, and read as many
// elements at once as HIDDEN is a multiple of. The activation comes from tanh.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WIDTH = HIDDEN % 8 == 0 ? 8 : HIDDEN % 2 == 0 ? 2 : 1;
constexpr int PIECES = HIDDEN / WIDTH;
constexpr int WARPS = 4;
constexpr int OF_WARP = TOKENS < 4 ? TOKENS : 4;

AUTOKERNEL_LAUNCH({.kernel = "fused_mlp",
                   .grid = {(INTER + WARPS - 1) / WARPS, (TOKENS + OF_WARP - 1) / OF_WARP},
                   .block = {32, WARPS}});

struct alignas(2 * WIDTH) Piece {
  __nv_bfloat16 values[WIDTH];
};

__device__ float sum_over_warp(float value) {
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
  return value;
}

extern "C" __global__ void fused_mlp(const Piece* __restrict__ x, const Piece* __restrict__ gate,
                                     const Piece* __restrict__ up, __nv_bfloat16* __restrict__ y) {
  const long long inter = blockIdx.x * WARPS + threadIdx.y;
  if (inter >= INTER) return;
  const int first = blockIdx.y * OF_WARP;
  float by_gate[OF_WARP] = {};
  float by_up[OF_WARP] = {};
  for (int i = threadIdx.x; i < PIECES; i += 32) {
    const Piece of_gate = gate[inter * PIECES + i];
    const Piece of_up = up[inter * PIECES + i];
#pragma unroll
    for (int t = 0; t < OF_WARP; ++t) {
      // Beyond the last token the last one is computed again.
      const Piece of_x = x[static_cast<long long>(min(first + t, TOKENS - 1)) * PIECES + i];
#pragma unroll
      for (int j = 0; j < WIDTH; ++j) {
        const float value = __bfloat162float(of_x.values[j]);
        by_gate[t] = fmaf(value, __bfloat162float(of_gate.values[j]), by_gate[t]);
        by_up[t] = fmaf(value, __bfloat162float(of_up.values[j]), by_up[t]);
      }
    }
  }
#pragma unroll
  for (int t = 0; t < OF_WARP; ++t) {
    const float half = 0.5f * sum_over_warp(by_gate[t]);
    const float product = sum_over_warp(by_up[t]);
    if (threadIdx.x == 0 && first + t < TOKENS)
      y[static_cast<long long>(first + t) * INTER + inter] =
          __float2bfloat16(fmaf(half, tanhf(half), half) * product);
  }
}
