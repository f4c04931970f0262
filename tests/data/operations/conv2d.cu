// Without shared memory: a warp for a pixel and four channels of y. Its lanes share the channels of
// x, two at once where they are even, and what lies beyond the edges is left out. Sums are joined
// by shuffles.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int OUTS = 4;
constexpr int EACH = IN % 2 == 0 ? 2 : 1;
constexpr int PIECES = IN / EACH;
constexpr int PADDING = KERNEL / 2;
constexpr int PIXELS = BATCH * OUT_HEIGHT * OUT_WIDTH;

AUTOKERNEL_LAUNCH({.kernel = "conv2d",
                   .grid = {(PIXELS + WARPS - 1) / WARPS, (OUT + OUTS - 1) / OUTS},
                   .block = {32, WARPS}});

struct alignas(2 * EACH) Piece {
  __nv_bfloat16 values[EACH];
};

extern "C" __global__ void conv2d(const Piece* x, const Piece* weight, __nv_bfloat16* y) {
  const int pixel = blockIdx.x * WARPS + threadIdx.y;
  if (pixel >= PIXELS) return;
  const int top = pixel / OUT_WIDTH % OUT_HEIGHT * STRIDE - PADDING;
  const int left = pixel % OUT_WIDTH * STRIDE - PADDING;
  x += static_cast<long long>(pixel / OUT_WIDTH / OUT_HEIGHT) * HEIGHT * WIDTH * PIECES;
  const int first_out = blockIdx.y * OUTS;
  float sums[OUTS] = {};
  for (int i = max(0, -top); i < min(KERNEL, HEIGHT - top); ++i) {
    for (int j = max(0, -left); j < min(KERNEL, WIDTH - left); ++j) {
      const Piece* const pieces = x + ((top + i) * WIDTH + left + j) * PIECES;
      for (int piece = threadIdx.x; piece < PIECES; piece += 32) {
        const Piece input = pieces[piece];
#pragma unroll
        for (int o = 0; o < OUTS; ++o) {
          if (first_out + o >= OUT) break;
          const Piece factor =
              weight[(((first_out + o) * KERNEL + i) * KERNEL + j) * PIECES + piece];
#pragma unroll
          for (int k = 0; k < EACH; ++k)
            sums[o] = fmaf(__bfloat162float(input.values[k]), __bfloat162float(factor.values[k]),
                           sums[o]);
        }
      }
    }
  }
#pragma unroll
  for (int o = 0; o < OUTS; ++o) {
    for (int lane = 16; lane > 0; lane /= 2) sums[o] += __shfl_xor_sync(~0u, sums[o], lane);
    if (threadIdx.x == 0 && first_out + o < OUT)
      y[static_cast<long long>(pixel) * OUT + first_out + o] = __float2bfloat16(sums[o]);
  }
}
