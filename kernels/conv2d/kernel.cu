// The convolution as a matrix product of pixels by channels (implicit GEMM): a block for 64 of
// each, 4 x 4 for a thread, by way of shared memory. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int PADDING = KERNEL / 2;
constexpr int PIXELS = BATCH * OUT_HEIGHT * OUT_WIDTH;
constexpr int TERMS = KERNEL * KERNEL * IN;
constexpr int SIDE = 16;  // of a block of threads; terms at a time
// Pixels and channels for a thread: no more than there are.
constexpr int ROWS = PIXELS < 4 * SIDE ? (PIXELS + SIDE - 1) / SIDE : 4;
constexpr int COLS = OUT < 4 * SIDE ? (OUT + SIDE - 1) / SIDE : 4;
constexpr int HIGH = SIDE * ROWS;
constexpr int WIDE = SIDE * COLS;

AUTOKERNEL_LAUNCH({.kernel = "conv2d",
                   .grid = {(PIXELS + HIGH - 1) / HIGH, (OUT + WIDE - 1) / WIDE},
                   .block = {SIDE, SIDE}});

// What a term of the sums for a pixel of y takes of x: 0 beyond its edges.
__device__ float input_of(const __nv_bfloat16* x, int pixel, int term) {
  if (pixel >= PIXELS || term >= TERMS) return 0;
  const int in = term % IN;
  const int kernel_col = term / IN % KERNEL;
  const int kernel_row = term / IN / KERNEL;
  const int row = pixel / OUT_WIDTH % OUT_HEIGHT * STRIDE + kernel_row - PADDING;
  const int col = pixel % OUT_WIDTH * STRIDE + kernel_col - PADDING;
  if (row < 0 || row >= HEIGHT || col < 0 || col >= WIDTH) return 0;
  const long long image = pixel / OUT_WIDTH / OUT_HEIGHT;
  return __bfloat162float(x[((image * HEIGHT + row) * WIDTH + col) * IN + in]);
}

extern "C" __global__ void conv2d(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                  __nv_bfloat16* y) {
  __shared__ alignas(16) float inputs[SIDE][HIGH + 4];
  __shared__ alignas(16) float weights[SIDE][WIDE + 4];
  const int across = threadIdx.x;
  const int down = threadIdx.y;
  const int first_pixel = blockIdx.x * HIGH;
  const int first_out = blockIdx.y * WIDE;
  float sums[ROWS][COLS] = {};
  for (int begin = 0; begin < TERMS; begin += SIDE) {
    const int term = begin + across;
    for (int i = 0; i < HIGH; i += SIDE)
      inputs[across][i + down] = input_of(x, first_pixel + i + down, term);
    for (int i = 0; i < WIDE; i += SIDE) {
      const int out = first_out + i + down;
      weights[across][i + down] =
          out < OUT && term < TERMS ? __bfloat162float(weight[out * TERMS + term]) : 0.0f;
    }
    __syncthreads();
#pragma unroll 2
    for (int step = 0; step < SIDE; ++step) {
      for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j)
          sums[i][j] += inputs[step][down * ROWS + i] * weights[step][across * COLS + j];
    }
    __syncthreads();
  }
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLS; ++j) {
      const int pixel = first_pixel + down * ROWS + i;
      const int out = first_out + across * COLS + j;
      if (pixel < PIXELS && out < OUT)
        y[static_cast<long long>(pixel) * OUT + out] = __float2bfloat16(sums[i][j]);
    }
  }
}
