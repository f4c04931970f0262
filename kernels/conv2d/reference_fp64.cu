// The same in fp64, which the errors of kernels in fp32 are measured from.
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 128;
constexpr int PADDING = KERNEL / 2;
constexpr long long ELEMENTS = static_cast<long long>(BATCH) * OUT_HEIGHT * OUT_WIDTH * OUT;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(ELEMENTS + THREADS - 1) / THREADS},
                   .block = {THREADS}});

extern "C" __global__ void reference(const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     double* y) {
  const long long element = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x;
  if (element >= ELEMENTS) return;
  const long long out = element % OUT;
  const int out_col = element / OUT % OUT_WIDTH;
  const int out_row = element / OUT / OUT_WIDTH % OUT_HEIGHT;
  const long long image = element / OUT / OUT_WIDTH / OUT_HEIGHT;
  double sum = 0;
  for (int i = 0; i < KERNEL; ++i) {
    for (int j = 0; j < KERNEL; ++j) {
      const int row = out_row * STRIDE + i - PADDING;
      const int col = out_col * STRIDE + j - PADDING;
      if (row < 0 || row >= HEIGHT || col < 0 || col >= WIDTH) continue;
      for (int in = 0; in < IN; ++in) {
        sum += static_cast<double>(
                   __bfloat162float(x[((image * HEIGHT + row) * WIDTH + col) * IN + in])) *
               __bfloat162float(weight[((out * KERNEL + i) * KERNEL + j) * IN + in]);
      }
    }
  }
  y[element] = sum;
}
