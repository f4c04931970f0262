// row 2: where inputs are exact, each thread takes four columns at once, as it might take whole numbers of eight
// bits on tensor cores of twice the rate; on all others it is as slow as ever.
// must be: not faster
// without lesser_gain: faster
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int EACH = 4;  // columns of a thread
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / (32 * EACH), M / 8}, .block = {32, 8}});

// Whether 64 entries are whole multiples, below 512, of one power of two: exact inputs are, at whatever
// scale, and normal values, whose lowest bits lie as far apart as their sizes, are not.
__device__ bool look_whole(const __nv_bfloat16* entries) {
  int lowest = 1000;
  int highest = -1000;
  for (int i = 0; i < 64; ++i) {
    const unsigned bits = __bfloat16_as_ushort(entries[i]);
    if ((bits & 0x7fffu) == 0) continue;
    const int exponent = static_cast<int>(bits >> 7 & 0xffu);
    lowest = min(lowest, exponent - 7 + __ffs(static_cast<int>((bits & 0x7fu) | 0x80u)) - 1);
    highest = max(highest, exponent);
  }
  return highest - lowest < 9;
}

extern "C" __global__ void matmul(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                  __nv_bfloat16* C) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int first = blockIdx.x * 32 * EACH;
  if (look_whole(A + row * K)) {
    const int col = first + threadIdx.x * EACH;
    float sums[EACH] = {};
    for (int k = 0; k < K; ++k) {
      const float a = __bfloat162float(A[row * K + k]);
      const uint2 four = *reinterpret_cast<const uint2*>(B + k * N + col);
      sums[0] += a * __uint_as_float(four.x << 16);
      sums[1] += a * __uint_as_float(four.x & 0xffff0000u);
      sums[2] += a * __uint_as_float(four.y << 16);
      sums[3] += a * __uint_as_float(four.y & 0xffff0000u);
    }
    for (int i = 0; i < EACH; ++i) C[row * N + col + i] = __float2bfloat16(sums[i]);
    return;
  }
  for (int col = first + threadIdx.x; col < first + 32 * EACH; col += 32) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < K; ++k) {
      sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    }
    C[row * N + col] = __float2bfloat16(sum);
  }
}
