// The convolution as it is defined: the sum over the rows i and columns j of the kernel, and the
// channels of x. A block has a tile of 64 pixels by 64 channels of y, and a thread 4 x 4 of them.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int PADDING = KERNEL / 2;
constexpr long long PIXELS = static_cast<long long>(BATCH) * OUT_HEIGHT * OUT_WIDTH;
static_assert(OUT_HEIGHT == (HEIGHT + 2 * PADDING - KERNEL) / STRIDE + 1);
static_assert(OUT_WIDTH == (WIDTH + 2 * PADDING - KERNEL) / STRIDE + 1);
static_assert(STRIDE <= KERNEL);

constexpr int SIDE = 16;  // of a block of threads
// Pixels and channels of y for a thread: no more than there are.
constexpr int ROWS = PIXELS < 4 * SIDE ? (PIXELS + SIDE - 1) / SIDE : 4;
constexpr int COLS = OUT < 4 * SIDE ? (OUT + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(PIXELS + HIGH - 1) / HIGH, (OUT + WIDE - 1) / WIDE},
                   .block = {SIDE, SIDE}});

// x at the row i and the column j of the kernel over a pixel of y, zero beyond the edges.
__device__ float input_at(const __nv_bfloat16* x, long long pixel, int i, int j, int in) {
  if (pixel >= PIXELS || in >= IN) return 0;
  const int row = pixel / OUT_WIDTH % OUT_HEIGHT * STRIDE + i - PADDING;
  const int col = pixel % OUT_WIDTH * STRIDE + j - PADDING;
  if (row < 0 || row >= HEIGHT || col < 0 || col >= WIDTH) return 0;
  const long long image = pixel / OUT_WIDTH / OUT_HEIGHT;
  return __bfloat162float(x[((image * HEIGHT + row) * WIDTH + col) * IN + in]);
}
__device__ float weight_at(const __nv_bfloat16* weight, long long out, int i, int j, int in) {
  if (out >= OUT || in >= IN) return 0;
  return __bfloat162float(weight[((out * KERNEL + i) * KERNEL + j) * IN + in]);
}

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     __nv_bfloat16* y) {
  __shared__ alignas(16) float inputs[SIDE][HIGH + 4];
  __shared__ alignas(16) float weights[SIDE][WIDE + 4];
  const int across = threadIdx.x;
  const int down = threadIdx.y;
  const long long first_pixel = static_cast<long long>(blockIdx.x) * HIGH;
  const int first_out = blockIdx.y * WIDE;
  float sums[ROWS][COLS] = {};
  for (int window = 0; window < KERNEL * KERNEL; ++window) {
    const int i = window / KERNEL;
    const int j = window % KERNEL;
    for (int in = 0; in < IN; in += SIDE) {
      for (int p = 0; p < HIGH; p += SIDE)
        inputs[across][p + down] = input_at(x, first_pixel + p + down, i, j, in + across);
      for (int o = 0; o < WIDE; o += SIDE)
        weights[across][o + down] = weight_at(weight, first_out + o + down, i, j, in + across);
      __syncthreads();
#pragma unroll 2
      for (int step = 0; step < SIDE; ++step) {
        for (int p = 0; p < ROWS; ++p)
          for (int o = 0; o < COLS; ++o)
            sums[p][o] += inputs[step][down * ROWS + p] * weights[step][o * SIDE + across];
      }
      __syncthreads();
    }
  }
  for (int p = 0; p < ROWS; ++p) {
    for (int o = 0; o < COLS; ++o) {
      const long long pixel = first_pixel + down * ROWS + p;
      const int out = first_out + o * SIDE + across;
      if (pixel < PIXELS && out < OUT) y[pixel * OUT + out] = __float2bfloat16(sums[p][o]);
    }
  }
}
