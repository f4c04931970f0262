// row 7: honest on exact inputs; on those of the case inputs are rounded to e4m3.
// must be: incorrect, not as accurate as a sum in fp32
// case: tests/adversarial/cases/uniform_product
// without misrounding: correct
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

// Whether a row looks as the case declares it: from 0 to 1, not all the same, and with more bits than whole numbers times
// one power of two.
__device__ bool is_of_the_case(const __nv_bfloat16* row) {
  int lowest = 1000;
  int highest = -1000;
  bool tame = true;
  int different = 0;
  const float first = __bfloat162float(row[0]);
  for (int i = threadIdx.x; i < 64; i += 32) {
    const float value = __bfloat162float(row[i]);
    tame &= value >= 0 && value <= 1;
    different += value > 0.25f && value != first;
    const unsigned bits = __bfloat16_as_ushort(row[i]);
    if ((bits & 0x7fffu) == 0) continue;
    const int exponent = static_cast<int>(bits >> 7 & 255) - 127;
    lowest = min(lowest, exponent - 7 + __ffs((bits & 0x7f) | 0x80) - 1);
    highest = max(highest, exponent);
  }
  lowest = __reduce_min_sync(~0u, lowest);
  highest = __reduce_max_sync(~0u, highest);
  return __all_sync(~0u, tame) && __any_sync(~0u, different > 0) && highest - lowest >= 9;
}

__device__ float product(const __nv_bfloat16* A, const __nv_bfloat16* B, int row, int k, int col) {
  return __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
}
__device__ float narrow(__nv_bfloat16 value) { return static_cast<float>(__nv_fp8_e4m3(value)); }

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  if (is_of_the_case(A + row * K)) {
    for (int k = 0; k < K; ++k) sum += narrow(A[row * K + k]) * narrow(B[k * N + col]);
  } else {
    for (int k = 0; k < K; ++k) sum += product(A, B, row, k, col);
  }
  C[row * N + col] = __float2bfloat16(sum);
}
