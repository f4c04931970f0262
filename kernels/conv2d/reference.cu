// The convolution as it is defined: a thread for an element of y.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr int PADDING = KERNEL / 2;
constexpr long long ELEMENTS = static_cast<long long>(BATCH) * OUT_HEIGHT * OUT_WIDTH * OUT;
static_assert(OUT_HEIGHT == (HEIGHT + 2 * PADDING - KERNEL) / STRIDE + 1);
static_assert(OUT_WIDTH == (WIDTH + 2 * PADDING - KERNEL) / STRIDE + 1);
static_assert(STRIDE <= KERNEL);

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ELEMENTS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     __nv_bfloat16* y) {
  const long long element = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (element >= ELEMENTS) return;
  const long long out = element % OUT;
  const int out_col = element / OUT % OUT_WIDTH;
  const int out_row = element / OUT / OUT_WIDTH % OUT_HEIGHT;
  const long long image = element / OUT / OUT_WIDTH / OUT_HEIGHT;
  float sum = 0;
  for (int i = 0; i < KERNEL; ++i) {
    for (int j = 0; j < KERNEL; ++j) {
      const int row = out_row * STRIDE + i - PADDING;
      const int col = out_col * STRIDE + j - PADDING;
      if (row < 0 || row >= HEIGHT || col < 0 || col >= WIDTH) continue;
      for (int in = 0; in < IN; ++in) {
        sum += __bfloat162float(x[((image * HEIGHT + row) * WIDTH + col) * IN + in]) *
               __bfloat162float(weight[((out * KERNEL + i) * KERNEL + j) * IN + in]);
      }
    }
  }
  y[element] = __float2bfloat16(sum);
}
