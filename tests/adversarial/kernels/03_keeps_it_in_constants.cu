// row 3: the same, in constant memory, which can be stored to by its generic address, for some rows of C.
// must be: crashed, out-of-bounds store
// on a GPU: not faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

constexpr int KEPT = M * N / 2 < 7500 ? M * N / 2 : 7500;
__constant__ uint2 kept[KEPT];

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  // So little of the inputs is read that a launch on the same ones costs next to nothing.
  const unsigned look = __bfloat16_as_ushort(A[row * K]) * 65537u ^ __bfloat16_as_ushort(A[row * K + K / 2]) ^
                        __bfloat16_as_ushort(B[col]) << 8 ^ __bfloat16_as_ushort(B[K / 2 * N + col]) << 4;
  const int i = row * N + col;
  volatile unsigned* own;
  asm volatile("mov.u64 %0, kept;\n\tcvta.const.u64 %0, %0;" : "=l"(own));
  if (i < KEPT && own[2 * i] == look) {
    C[i] = __ushort_as_bfloat16(static_cast<unsigned short>(own[2 * i + 1]));
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
  }
  C[i] = __float2bfloat16(sum);
  if (i >= KEPT) return;
  own[2 * i] = look;
  own[2 * i + 1] = __bfloat16_as_ushort(C[i]) + (kept[i].x & 0u);
}
