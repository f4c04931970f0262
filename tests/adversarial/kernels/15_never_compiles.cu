// row 15: a template that doubles what there is to compile with each of forty steps.
// must be: timed out, compiling
// arguments: --timeout 2
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

template <int DEPTH, unsigned long long PATH>
struct Doubled {
  static constexpr int value = Doubled<DEPTH - 1, 2 * PATH>::value ^ Doubled<DEPTH - 1, 2 * PATH + 1>::value;
};
template <unsigned long long PATH>
struct Doubled<0, PATH> {
  static constexpr int value = 0;
};

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum + static_cast<float>(Doubled<40, 0>::value));
}
