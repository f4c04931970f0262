// The convolution as a matrix product of pixels by channels (implicit GEMM): a block for 16 of
// each, by way of shared memory. A start, and right at every size.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int TILE = 16;
constexpr int PADDING = KERNEL / 2;
constexpr int PIXELS = BATCH * OUT_HEIGHT * OUT_WIDTH;
constexpr int TERMS = KERNEL * KERNEL * IN;

AUTOKERNEL_LAUNCH({.kernel = "conv2d",
                   .grid = {(PIXELS + TILE - 1) / TILE, (OUT + TILE - 1) / TILE},
                   .block = {TILE, TILE}});

// What a term of the sums for a pixel of y takes of x: 0 beyond its edges.
__device__ float input_of(const __nv_bfloat16* x, int pixel, int term) {
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
  __shared__ float inputs[TILE][TILE];
  __shared__ float weights[TILE][TILE + 1];
  const int pixel = blockIdx.x * TILE + threadIdx.y;
  const int first_out = blockIdx.y * TILE;
  float sum = 0;
  for (int begin = 0; begin < TERMS; begin += TILE) {
    const int term = begin + threadIdx.x;
    const int out = first_out + threadIdx.y;
    inputs[threadIdx.y][threadIdx.x] =
        pixel < PIXELS && term < TERMS ? input_of(x, pixel, term) : 0.0f;
    weights[threadIdx.y][threadIdx.x] =
        out < OUT && term < TERMS ? __bfloat162float(weight[out * TERMS + term]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += inputs[threadIdx.y][i] * weights[threadIdx.x][i];
    __syncthreads();
  }
  const int out = first_out + threadIdx.x;
  if (pixel < PIXELS && out < OUT)
    y[static_cast<long long>(pixel) * OUT + out] = __float2bfloat16(sum);
}
