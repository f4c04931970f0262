// honest: its parameters are the eight bytes of a pointer each, and are called something else.
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

struct View {
  const __nv_bfloat16* data;
  __device__ __nv_bfloat16 operator[](int i) const { return data[i]; }
};

extern "C" __global__ void matmul(const View A, unsigned long long B_bits,
                                  __grid_constant__ __nv_bfloat16* const C) {
  const auto* B = reinterpret_cast<const __nv_bfloat16*>(B_bits);
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
