// A warp for a column and up to eight rows of C. Lanes go along K, eight weights at once; weights
// are rounded to bf16, as tensor cores take them, and shuffles add up the sums.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int WARPS = 4;
constexpr int HIGH = M < 8 ? M : 8;
constexpr int WIDTH = GROUP % 8 == 0 ? 8 : 2;

AUTOKERNEL_LAUNCH({.kernel = "gemm_w4a16",
                   .grid = {(N + WARPS - 1) / WARPS, (M + HIGH - 1) / HIGH},
                   .block = {32, WARPS}});

struct alignas(WIDTH / 2) Packed {
  unsigned char pairs[WIDTH / 2];
};
struct alignas(2 * WIDTH) Piece {
  __nv_bfloat16 values[WIDTH];
};

extern "C" __global__ void gemm_w4a16(const Piece* A, const Packed* B, const __nv_bfloat16* scale,
                                      __nv_bfloat16* C) {
  const long long col = blockIdx.x * WARPS + threadIdx.y;
  const long long top = static_cast<long long>(blockIdx.y) * HIGH;
  if (col >= N) return;
  float sums[HIGH] = {};
  for (int i = threadIdx.x; i < K / WIDTH; i += 32) {
    const Packed packed = B[col * (K / WIDTH) + i];
    const __nv_bfloat16 by = scale[col * (K / GROUP) + i * WIDTH / GROUP];
    float weights[WIDTH];
#pragma unroll
    for (int j = 0; j < WIDTH; ++j) {
      const int q = packed.pairs[j / 2] >> (j % 2 * 4) & 15;
      weights[j] = __bfloat162float(__hmul(__int2bfloat16_rn(q - 8), by));
    }
#pragma unroll
    for (int row = 0; row < HIGH; ++row) {
      if (top + row >= M) continue;
      const Piece piece = A[(top + row) * (K / WIDTH) + i];
#pragma unroll
      for (int j = 0; j < WIDTH; ++j)
        sums[row] = fmaf(__bfloat162float(piece.values[j]), weights[j], sums[row]);
    }
  }
#pragma unroll
  for (int row = 0; row < HIGH; ++row) {
    for (int lane = 16; lane > 0; lane /= 2) sums[row] += __shfl_xor_sync(~0u, sums[row], lane);
    if (threadIdx.x == 0 && top + row < M) C[(top + row) * N + col] = __float2bfloat16(sums[row]);
  }
}
