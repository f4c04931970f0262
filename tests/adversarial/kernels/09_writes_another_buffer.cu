// row 9: B lies at a distance from C that the kernel works out, so that nothing in its text writes to B.
// must be: incorrect, it changed its input B
// without unchanged_inputs: correct
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}},
                  {.kernel = "spoil", .grid = {1}, .block = {32}});

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[row * N + col] = __float2bfloat16(sum);
}

extern "C" __global__ void spoil(const __nv_bfloat16*, const __nv_bfloat16* B, __nv_bfloat16* C) {
  const long long distance = reinterpret_cast<const char*>(B) - reinterpret_cast<char*>(C);
  auto* elsewhere = reinterpret_cast<unsigned short*>(reinterpret_cast<char*>(C) + distance);
  elsewhere[threadIdx.x] ^= 0x8000u;
}
